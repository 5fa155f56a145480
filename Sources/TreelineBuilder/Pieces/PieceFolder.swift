import CLibrary
import Treeline

#if POSIX
  /// A folder with built pieces, each in its own file. Any number of machines may write to the folder at once.
  ///
  /// A file appears only when it is complete. The name of a file is the number of its piece. A second attempt to build
  /// a piece writes the same bytes. So it does not matter which attempt ends last, or whether an attempt is killed.
  public struct PieceFolder: PieceSource {
    /// Path of the folder.
    public let path: String

    /// - Parameter path: Path of an existing folder.
    public init(_ path: String) { self.path = path }

    /// Writes a piece. When this method returns, the piece is on the disk.
    public func write(_ piece: BuiltPiece) throws { try keep(piece) }

    /// Like `write(_:)`, but the type of its errors is declared.
    func keep(_ piece: BuiltPiece) throws(PieceError) {
      try write(piece: Int(piece.header.number)) { write throws(PieceError) in try piece.write(write) }
    }

    func write(
      piece: Int, _ produce: ((UnsafeRawBufferPointer) throws(PieceError) -> Void) throws(PieceError) -> Void
    ) throws(PieceError) {
      // The name is random, so that no other attempt uses this name.
      let partialPath = "\(filePath(ofPiece: piece)).\(UInt64.random(in: 0 ... .max)).partial"
      do throws(PieceError) {
        let file = try ScratchFile(partialPath)
        var end = 0
        try produce { bytes throws(PieceError) in
          try file.write(bytes, at: end)
          end += bytes.count
        }
        try file.synchronize()
        guard rename(partialPath, filePath(ofPiece: piece)) == 0 else {
          throw .scratch(path: partialPath, action: "rename it", reason: systemReason())
        }
      } catch {
        unlink(partialPath)
        throw error
      }
    }

    public func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
      try ScratchFile(reading: filePath(ofPiece: piece)).read(buffer, at: offset)
    }

    private func filePath(ofPiece piece: Int) -> String { "\(path)/piece-\(piece)" }
  }
#endif
