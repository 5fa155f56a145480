import Treeline

/// A place for an index, held from before there is one to write.
///
/// To read points and build their tree may take minutes, which would be in vain where the index cannot be written. What
/// can be known of the place is told when it is taken, and while it is held no other build gets it:
///
/// ```swift
/// let destination = try IndexDestination("places.treeline")
/// let tree = try ClusterTree(places)
/// try tree.write(to: destination)
/// ```
///
/// What another build has left beside the place, having been killed, is cleared. An object that is given up without an
/// index leaves everything as it was.
public final class IndexDestination {
  package let file: AtomicFile

  /// - Parameters:
  ///   - path: Where. The folder must be writable, for the file is written beside its place first, as `.NAME.partial`. A
  ///     link is followed, even one that leads to nothing yet. An index that is replaced passes its permissions on.
  ///   - overwriting: Whether to replace a file that is not an index.
  /// - Throws: `IndexWritingError`
  public init(_ path: String, overwriting: Bool = false) throws(IndexWritingError) {
    file = try AtomicFile(path: path, beginning: IndexHeader.magic)
    guard overwriting || !FilePath.leadsSomewhere(path) || IndexHeader.begins(fileAt: path) else {
      throw .wouldOverwrite(path: path)
    }
  }
}
