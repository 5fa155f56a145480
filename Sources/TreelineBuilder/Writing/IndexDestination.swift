import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// The destination of an index. It is reserved before the index is built.
  ///
  /// Reading points and building their tree may take minutes. This time would be lost if the index could not be
  /// written. So the destination is checked when it is reserved. As long as it is reserved, no other build can reserve
  /// it:
  ///
  /// ```swift
  /// let destination = try IndexDestination("places.treeline")
  /// let tree = try ClusterTree(coordinates)
  /// try tree.write(to: destination)
  /// ```
  ///
  /// Removes files that a killed build has left in the folder for this path. If the object is deallocated before an
  /// index is written, nothing else changes.
  public final class IndexDestination {
    package let file: AtomicFile

    /// - Parameters:
    ///   - path: Path of the index. The folder must be writable, because the file is first written in the same folder
    ///     as `.NAME.partial`. A link is followed, even if its target does not exist yet. If the index replaces another
    ///     index, it gets the permissions of the old index.
    ///   - overwriting: Whether to replace a file that is not an index.
    /// - Throws: `IndexWritingError`
    public init(_ path: String, overwriting: Bool = false) throws(IndexWritingError) {
      file = try AtomicFile(path: path, beginning: IndexHeader.magic)
      guard overwriting || !FilePath.leadsSomewhere(path) || IndexHeader.begins(fileAt: path) else {
        throw .wouldOverwrite(path: path)
      }
    }
  }
#endif

/// The reason why an index was not written. An existing file at the path is unchanged, unless the error is
/// `notDurable`.
public enum IndexWritingError: Error, Hashable, Sendable {
  /// The file at the path is not an index.
  case wouldOverwrite(path: String)
  /// The path leads to something that is not a file, such as a folder, a device or a pipe.
  case notAFile(path: String)
  /// There are more columns than an index can hold.
  case tooManyAttributes(found: Int, maximum: Int)
  /// Two columns for the index have the same name.
  case attributeTwice(name: String)
  /// A value does not suit its column.
  case column(ColumnError)
  /// Another build is writing to the same path.
  case inUse(path: String)
  /// The temporary path of the new file holds something that no build has left there.
  case foreignPartialFile(path: String, partialPath: String, found: String)
  /// The system refused an operation, for example because there is no space, no permission or no such folder.
  case failed(path: String, action: String, reason: String)
  /// The index is written, but its folder was not flushed to the disk. After a power cut, the file at the path may be
  /// the old one or missing.
  case notDurable(path: String, reason: String)
  /// The task or the build was cancelled.
  case cancelled
}

extension IndexWritingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wouldOverwrite(let path):
      "\(path): expected an index or no file, found a file that is not an index; choose another name, or "
        + "allow it to be overwritten"
    case .notAFile(let path):
      "\(path): expected a file or nothing, found something that is not a file and is never replaced"
    case .tooManyAttributes(let found, let maximum):
      "expected at most \(maximum) columns to keep, found \(found); keep fewer"
    case .attributeTwice(let name): "expected columns of different names, found \(name.debugDescription) twice"
    case .column(let error): "\(error)"
    case .inUse(let path): "\(path): another run is writing this file; wait for it to end"
    case .foreignPartialFile(let path, let partialPath, let found):
      "\(path): the file is first written to \(partialPath); expected nothing there, or a file of an earlier run, "
        + "found \(found); move it away or choose another name"
    case .failed(let path, let action, let reason): "\(path): could not \(action): \(reason); nothing was changed"
    case .notDurable(let path, let reason):
      "\(path): written, but its folder could not be flushed to the disk, so a power cut may undo it: \(reason); "
        + "check the disk and write it again"
    case .cancelled: "writing the index was cancelled"
    }
  }
}
