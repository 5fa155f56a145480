import CLibrary
import Treeline

#if POSIX
  /// The folder in which a build keeps data that do not fit into memory. Each index has its own folder with a fixed
  /// name. So if a build is killed, the next build of the same index finds the files of the killed build.
  package final class ScratchFolder: Sendable {
    package let path: String
    private let lock: Int32

    /// Files that a build may write in the folder. The files are removed in this order.
    enum Name: String, CaseIterable {
      case state
      /// The file to which a new state of the build is written. Once this file is complete, it is renamed to `state`.
      case newState = "state.new"
      /// The x and y coordinates of points without a map projection. The plane depends on the extent of all points. So
      /// positions on the plane replace this file once all points are read.
      case coordinates
      /// Positions on the plane, in input order. On Web Mercator, the plane is cut open at longitude -180.
      case positions
      /// Positions divided into cells. The file is needed only while the pieces are planned.
      case cells
      /// Row numbers of the input rows that have no point.
      case skippedRows = "skipped-rows"
      /// Positions and rows, sorted by piece. Within each piece, points are in input order.
      case points
      case rows
      /// The values of columns, batch by batch, and the offset at which each batch ends.
      case values
      case valueEnds = "value-ends"
      /// The encodings of columns.
      case columns
      /// Row numbers that a column of the input assigns to points, in input order.
      case givenRows = "given-rows"
      /// The number of each point's group, in input order.
      case groups
      /// Positions in a build with groups, sorted by the tree to which each point belongs. The file is needed only
      /// while the trees are planned.
      case dividedPositions = "divided-positions"
      /// Codes of all columns, sorted by piece like `rows`.
      case codes
      /// The built pieces, one after the other, and the offset at which each piece ends.
      case pieces
      case pieceEnds = "piece-ends"
      /// A temporary file. Its name is removed from the folder as soon as the file is open.
      case unnamed
      /// The lock file, which is removed last. If a build is killed while it removes the other files, the lock file
      /// shows the next build that the folder is a scratch folder.
      case lock
    }

    /// Returns the path of an index's scratch folder. Several indexes with the same name may have scratch folders in
    /// one parent folder. So if `parent` is given, the name of the scratch folder contains a hash of the index's path.
    ///
    /// - Parameters:
    ///   - index: Path of the index.
    ///   - parent: Folder in which the scratch folder is created; nil for the folder that contains the index.
    package static func path(forIndex index: String, in parent: String?) -> String {
      guard let parent else { return FilePath(index).hidden(suffix: ".scratch") }
      let place = FilePath(FilePath.resolved(index) ?? index)
      let start = realpath(place.folder, nil)
      defer { free(start) }
      let path = "\(start.map { String(cString: $0) } ?? place.folder)/\(place.name)"
      let hash = Array(path.utf8).withUnsafeBytes { XXHash64.hash($0) }
      return "\(parent)/\(FilePath(FilePath(index).hidden(suffix: "-\(String(hash, radix: 16)).scratch")).name)"
    }

    /// Returns the paths of all files that may exist in the folder, followed by the path of the folder itself. A
    /// caller can remove the files and the folder in this order.
    package static func allPaths(in path: String) -> [String] {
      Name.allCases.map { "\(path)/\($0.rawValue)" } + [path]
    }

    /// Creates the folder, or reuses a folder that was left behind by a killed build.
    ///
    /// - Parameter keepsFiles: Whether to keep existing files, so that the build can continue from them.
    package init(_ path: String, keepsFiles: Bool) throws(PieceError) {
      self.path = path
      do throws(IndexWritingError) { try FilePath.check(path) } catch { throw .writing(error) }
      if mkdir(path, 0o700) != 0 {
        guard errno == EEXIST else { throw .scratch(path: path, action: "make this folder", reason: systemReason()) }
        if let found = Self.stranger(at: path) { throw .foreignScratch(path: path, found: found) }
      }
      lock = open("\(path)/\(Name.lock.rawValue)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw .scratch(path: path, action: "write to it", reason: systemReason()) }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        let isInUse = errno == EWOULDBLOCK
        let reason = systemReason()
        close(lock)
        if isInUse { throw .inUse(path: path) }
        throw .scratch(path: path, action: "lock it", reason: reason)
      }
      if !keepsFiles { removeFiles() }
    }

    deinit { close(lock) }

    /// Returns nil if the folder at the path was made by a build. Otherwise returns a description of the file or
    /// folder at the path, for an error message. If a folder was not made by a build, its files may be the user's own,
    /// so they must not be removed.
    private static func stranger(at path: String) -> String? {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        return "something that is not a folder"
      }
      // An empty folder is also accepted, because a build may have been killed right after creating its folder.
      if access("\(path)/\(Name.lock.rawValue)", F_OK) == 0 || rmdir(path) == 0 && mkdir(path, 0o700) == 0 {
        return nil
      }
      return "a folder with other files"
    }

    /// Removes the folder, and all files that a build has written in it.
    package func remove() { for path in Self.allPaths(in: path) where unlink(path) != 0 { rmdir(path) } }

    func path(_ name: Name) -> String { "\(path)/\(name.rawValue)" }

    func file(_ name: Name) throws(PieceError) -> ScratchFile { try ScratchFile(path(name)) }

    /// Opens an empty file without a name. The file disappears when it is closed.
    func unnamedFile() throws(PieceError) -> ScratchFile {
      let file = try file(.unnamed)
      remove(.unnamed)
      return file
    }

    /// Flushes the names of the folder's files to the disk.
    func synchronize() throws(PieceError) {
      let folder = open(path, O_RDONLY | O_CLOEXEC)
      defer { if folder >= 0 { close(folder) } }
      // Some file systems do not support fsync for folders, and report EINVAL.
      guard folder >= 0, fsync(folder) == 0 || errno == EINVAL else {
        throw .scratch(path: path, action: "flush it to the disk", reason: systemReason())
      }
    }

    func remove(_ name: Name) { unlink(path(name)) }

    /// Free space on the disk of the folder, in bytes; nil if the system does not report the free space.
    package var freeSpace: Int? { Disk(of: path)?.free }

    /// Space that the folder's files take on the disk, in bytes.
    var usedSpace: Int {
      Name.allCases.reduce(0) { sum, name in
        var status = stat()
        return sum + (lstat(path(name), &status) == 0 ? 512 * Int(status.st_blocks) : 0)
      }
    }

    /// Removes all files that a build has written in the folder, except the lock.
    func removeFiles() { for name in Name.allCases where name != .lock { remove(name) } }
  }
#endif
