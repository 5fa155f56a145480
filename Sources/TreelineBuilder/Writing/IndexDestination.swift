import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// The destination of an index, reserved before there is an index.
  ///
  /// Reading points and building their tree may take minutes, which are lost if the index cannot be written. So the
  /// destination is checked when it is reserved, and no other build can reserve it meanwhile:
  ///
  /// ```swift
  /// let destination = try IndexDestination("places.treeline")
  /// let tree = try ClusterTree(coordinates)
  /// try tree.write(to: destination)
  /// ```
  ///
  /// Files that a killed build has left beside the path are removed. If the object is deallocated without an index,
  /// everything stays as it was.
  public final class IndexDestination {
    package let file: AtomicFile

    /// - Parameters:
    ///   - path: Path of the index. The folder must be writable, since the file is first written beside its path, as
    ///     `.NAME.partial`. A link is followed, even one that leads to nothing yet. A new index has the permissions of
    ///     the one that it replaces.
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

/// The reason why an index was not written. A file of that name, if there was one, is unchanged, unless the error is
/// `notDurable`.
public enum IndexWritingError: Error, Hashable, Sendable {
  /// There is a file of that name that is not an index.
  case wouldOverwrite(path: String)
  /// There is something of that name that is not a file: a folder, a device, a pipe.
  case notAFile(path: String)
  /// More columns than an index has room for.
  case tooManyAttributes(found: Int, maximum: Int)
  /// Two columns to keep have the same name.
  case attributeTwice(name: String)
  /// A value does not suit the column that it is in.
  case column(ColumnError)
  /// Another build is writing to the same place.
  case inUse(path: String)
  /// The place where the file is written first holds something that no build has left.
  case foreignPartialFile(path: String, partialPath: String, found: String)
  /// The system refused: no space, no permission, no such folder.
  case failed(path: String, action: String, reason: String)
  /// The index is written, but its folder was not flushed to the disk: after a power cut, the file of that name may be
  /// the old one, or missing.
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
      "\(path): expected nothing at \(partialPath), where the file is written first, or a file of an earlier run, "
        + "found \(found); move it away or choose another name"
    case .failed(let path, let action, let reason): "\(path): could not \(action): \(reason); nothing was changed"
    case .notDurable(let path, let reason):
      "\(path): written, but its folder could not be flushed to the disk, so a power cut may undo it: \(reason); "
        + "check the disk and write it again"
    case .cancelled: "writing the index was cancelled"
    }
  }
}
