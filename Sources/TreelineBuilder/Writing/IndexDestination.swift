import Treeline

#if POSIX
  /// The destination of an index. It is reserved before the index is built.
  ///
  /// Reading points and building their tree may take minutes. This time would be lost if the index could not be
  /// written. So the destination is checked when it is reserved. As long as one build has reserved the destination, no
  /// other build can reserve it.
  ///
  /// ```swift
  /// let destination = try IndexDestination("places.treeline")
  /// let tree = try ClusterTree(coordinates)
  /// try tree.write(to: destination)
  /// ```
  ///
  /// If a killed build has left a temporary file for this path, reserving the path removes that file. Nothing else on
  /// the disk changes if the destination is deallocated before an index is written.
  public final class IndexDestination {
    package let file: AtomicFile
    /// Called with the checksum of the complete index, before the index appears at its path. If the function throws,
    /// the index does not appear. Builds in pieces do not call it.
    @_spi(Server) public var onCompletion: (_ checksum: UInt64) throws(IndexWritingError) -> Void = { _ in }

    /// - Parameters:
    ///   - path: Path of the index. The folder must be writable, because the file is first written to `.NAME.partial`
    ///     in this folder. A link is followed, even if its target does not exist yet. If the new index replaces an old
    ///     index, the new index gets the permissions of the old index.
    ///   - overwriting: Whether to replace a file that is not an index.
    /// - Throws: `IndexWritingError`
    public init(_ path: String, overwriting: Bool = false) throws {
      file = try AtomicFile(path: path, beginning: IndexHeader.magic)
      guard overwriting || !FilePath.leadsSomewhere(path) || ClusterTree.isIndex(atPath: path) else {
        throw IndexWritingError.wouldOverwrite(path: path)
      }
    }
  }
#endif

/// The reason why writing an index failed. After any error except `notDurable`, an existing file at the path is
/// unchanged.
public enum IndexWritingError: Error, Hashable, Sendable {
  /// The file at the path is not an index.
  case wouldOverwrite(path: String)
  /// The path leads to something that is not a regular file, such as a folder, a device or a pipe.
  case notAFile(path: String)
  /// There are more columns than an index can hold.
  case tooManyAttributes(found: Int, maximum: Int)
  /// Two columns for the index have the same name.
  case attributeTwice(name: String)
  /// A value does not suit its column.
  case column(ColumnError)
  /// Another build is writing to the same path.
  case inUse(path: String)
  /// The temporary path of the new file is occupied by a file or folder that does not come from a build.
  case foreignPartialFile(path: String, partialPath: String, found: String)
  /// The system refused an operation, for example because space, a permission or the folder is missing.
  case failed(path: String, action: String, reason: String)
  /// The index was written, but its folder was not flushed to the disk. After a power cut, the path may lead to the old
  /// file or to no file.
  case notDurable(path: String, reason: String)
  /// The task or the build was cancelled.
  case cancelled
}

extension IndexWritingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wouldOverwrite(let path):
      "\(path): expected an index or no file, found a file that is not an index; choose another name, or "
        + "allow this file to be overwritten"
    case .notAFile(let path):
      "\(path): expected a regular file or no file, found something else, such as a folder or a device; "
        + "choose another name"
    case .tooManyAttributes(let found, let maximum):
      "expected at most \(maximum) columns in the index, found \(found); keep fewer columns"
    case .attributeTwice(let name): "expected columns of different names, found \(name.debugDescription) twice"
    case .column(let error): "\(error)"
    case .inUse(let path): "\(path): another run is writing this file; wait until that run ends"
    case .foreignPartialFile(let path, let partialPath, let found):
      "\(path): the file is first written to the path \(partialPath), but this path is taken by \(found); "
        + "move \(partialPath) away or choose another name"
    case .failed(let path, let action, let reason): "\(path): could not \(action): \(reason); the file was not changed"
    case .notDurable(let path, let reason):
      "\(path): the file was written, but its folder could not be flushed to the disk: \(reason); "
        + "a power cut may undo the change; check the disk and write the file again"
    case .cancelled: "writing the index was cancelled"
    }
  }
}
