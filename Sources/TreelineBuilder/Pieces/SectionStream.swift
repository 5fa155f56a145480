import Treeline

#if POSIX
  /// Writes one section of an index, part by part.
  struct SectionStream {
    private let file: AtomicFile
    private let offset: UInt64
    private let progress: (UInt64) -> Bool
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    private var pending = 0
    private(set) var length: UInt64 = 0
    private(set) var checksum = XXHash64()
    /// Content hash of the index up to the current end of the section.
    private(set) var content: XXHash64

    init(_ file: AtomicFile, at offset: UInt64, hashing content: XXHash64, _ progress: @escaping (UInt64) -> Bool) {
      (self.file, self.offset, self.content, self.progress) = (file, offset, content, progress)
    }

    func deallocate() { buffer.deallocate() }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(PieceError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(buffer.count - pending)
        UnsafeMutableRawBufferPointer(rebasing: buffer[pending...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: part))
        pending += part.count
        rest = rest.dropFirst(part.count)
        if pending == buffer.count { try flush() }
      }
    }

    mutating func append(_ bytes: [UInt8]) throws(PieceError) {
      try bytes.withUnsafeBufferPointer { bytes throws(PieceError) in try append(UnsafeRawBufferPointer(bytes)) }
    }

    mutating func append<Value: BitwiseCopyable>(value: Value) throws(PieceError) {
      let size = MemoryLayout<Value>.size
      if buffer.count - pending < size { try flush() }
      withUnsafeBytes(of: value) { UnsafeMutableRawBufferPointer(rebasing: buffer[pending...]).copyMemory(from: $0) }
      pending += size
    }

    /// Writes the bytes that are still in the buffer.
    mutating func flush() throws(PieceError) {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<pending])
      do throws(IndexWritingError) { try file.write(bytes, at: offset + length) } catch { throw .writing(error) }
      checksum.update(bytes)
      content.update(bytes)
      length += UInt64(pending)
      pending = 0
      guard progress(offset + length) else { throw .cancelled }
    }
  }

  /// Reads the parts (see `PiecePart`) and the columns of built pieces, block by block. Checks the checksum of each
  /// part and each column.
  struct PieceReader<Source: PieceSource> {
    let source: Source
    let tasks: [PieceTask]
    let headers: [PieceHeader]

    private static var blockSize: Int { 1 << 20 }

    func forEachBlock(
      of part: PiecePart, inPiece piece: Int, _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      try forEachBlock(
        inPiece: piece, at: headers[piece].offset(of: part), length: headers[piece].length(of: part),
        headers[piece][part], called: "\(part)", body)
    }

    func forEachBlock(
      ofColumn column: Int, _ layout: CodeLayout, inPiece piece: Int,
      _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      let (start, count) = (headers[piece].codesOffset, Int(headers[piece].pointCount))
      var checksum: UInt64 = 0
      var failure: PieceError?
      withUnsafeMutableBytes(of: &checksum) { bytes in
        do throws(PieceError) {
          try source.readBytes(
            ofPiece: tasks[piece].number, at: start + layout.length * count + 8 * column, into: bytes)
        } catch { failure = error }
      }
      if let failure { throw failure }
      try forEachBlock(
        inPiece: piece, at: start + layout.offset(of: column) * count, length: layout.widths[column] * count, checksum,
        called: "codes", body)
    }

    private func forEachBlock(
      inPiece piece: Int, at start: Int, length: Int, _ expected: UInt64, called name: String,
      _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(length, Self.blockSize), alignment: 16)
      defer { buffer.deallocate() }
      var checksum = XXHash64()
      for range in (0..<length).blocks(of: Self.blockSize) {
        let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<range.count])
        try source.readBytes(ofPiece: tasks[piece].number, at: start + range.lowerBound, into: block)
        checksum.update(UnsafeRawBufferPointer(block))
        try body(UnsafeRawBufferPointer(block))
      }
      guard checksum.finalize() == expected else {
        throw .damaged(what: "piece \(piece)", expected: "unchanged \(name)", found: "other bytes")
      }
    }
  }

  /// Makes the gap codes (see `Gap`) of a whole tree from the gap codes of its consecutive pieces. A byte holds the
  /// codes of two points.
  struct GapPacker {
    /// Gap code (see `Gap`) of the last added point, if the index of this point in the whole tree is even. The byte
    /// with this code is not written yet, because it still lacks the gap code of the next point. Nil if all bytes are
    /// written.
    private var half: UInt8?
    private var packed: [UInt8] = []

    /// Adds the gap codes (see `Gap`) of a piece. In `bytes`, the code of the piece's first point is in the lower half
    /// of the first byte, even if the index of this point in the whole tree is odd.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ gapCount: Int, to stream: inout SectionStream)
      throws(PieceError)
    {
      guard let half else {
        try stream.append(UnsafeRawBufferPointer(rebasing: bytes[..<(gapCount / 2)]))
        if gapCount % 2 == 1 { self.half = bytes[gapCount / 2] & 15 }
        return
      }
      packed.removeAll(keepingCapacity: true)
      var last = half
      for index in 0..<gapCount / 2 {
        packed.append(Gap.byte(even: last, odd: bytes[index] & 15))
        last = bytes[index] >> 4
      }
      self.half = last
      if gapCount % 2 == 1 {
        packed.append(Gap.byte(even: last, odd: bytes[gapCount / 2] & 15))
        self.half = nil
      }
      try stream.append(packed)
    }

    mutating func finish(_ stream: inout SectionStream) throws(PieceError) {
      if let half { try stream.append([half]) }
    }
  }
#endif
