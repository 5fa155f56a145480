import Treeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// The folder in which a build beyond memory keeps what does not fit. Each index has one, under a fixed name, so that
  /// the next build of the index finds what a killed build has left.
  package final class ScratchFolder: Sendable {
    package let path: String
    private let lock: Int32

    /// Files that a build may write there, in the order in which they are removed.
    enum Name: String, CaseIterable {
      case state
      /// The next state, until it is renamed.
      case newState = "state.new"
      /// Plain coordinates, until the plane is known.
      case coordinates
      /// Positions on the plane, in input order; on Web Mercator as if the plane were cut open at longitude -180.
      case positions
      /// Positions in cells, while the pieces are planned.
      case cells
      /// Numbers of input rows without a point.
      case skippedRows = "skipped-rows"
      /// Positions, and rows, by piece; in input order within each piece.
      case points
      case rows
      /// The values of columns, batch by batch, and where each batch ends.
      case values
      case valueEnds = "value-ends"
      /// The encodings of columns.
      case columns
      /// Row numbers that a column of the input gives points, in input order.
      case givenRows = "given-rows"
      /// The number of each point's group, in input order.
      case groups
      /// Positions by part of the tree, while each part is planned.
      case dividedPositions = "divided-positions"
      /// Codes of all columns, by piece like `rows`.
      case codes
      /// The built pieces, one after the other, and the offset at which each ends.
      case pieces
      case pieceEnds = "piece-ends"
      /// The codes of separations.
      case separations
      /// A file that has its name only for a moment.
      case unnamed
      /// Removed last. If a build was killed while it removed the other files, the next build recognizes its folder by
      /// this file.
      case lock
    }

    /// Returns the folder for an index. In a folder that several indexes share, the name contains a hash of the index's
    /// path, so that indexes of one name do not collide.
    ///
    /// - Parameters:
    ///   - index: Path of the index.
    ///   - parent: Folder for the scratch folder; nil for the folder of the index.
    package static func path(forIndex index: String, in parent: String?) -> String {
      guard let parent else { return FilePath(index).hidden(suffix: ".scratch") }
      let place = FilePath(FilePath.resolved(index) ?? index)
      let start = realpath(place.folder, nil)
      defer { free(start) }
      let path = "\(start.map { String(cString: $0) } ?? place.folder)/\(place.name)"
      let hash = Array(path.utf8).withUnsafeBytes { XXHash64.hash($0) }
      return "\(parent)/\(FilePath(FilePath(index).hidden(suffix: "-\(String(hash, radix: 16)).scratch")).name)"
    }

    /// Returns all paths that may exist, the folder's own last, for callers that must remove them and know nothing
    /// else.
    package static func allPaths(in path: String) -> [String] {
      Name.allCases.map { "\(path)/\($0.rawValue)" } + [path]
    }

    /// Makes the folder, or takes over one that a dead build has left.
    ///
    /// - Parameter keepsFiles: Whether to keep the files that are there, to continue from them.
    package init(_ path: String, keepsFiles: Bool) throws(PieceError) {
      self.path = path
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

    /// Describes a file or folder at the path that no build has left; nil if a build has left it. In a folder that no
    /// build has left, removing files by name could remove other people's files.
    private static func stranger(at path: String) -> String? {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        return "something that is not a folder"
      }
      // A build that was killed at once leaves the folder empty.
      if access("\(path)/\(Name.lock.rawValue)", F_OK) == 0 || rmdir(path) == 0 && mkdir(path, 0o700) == 0 {
        return nil
      }
      return "a folder with other files"
    }

    /// Removes the folder and all files that a build has written there.
    package func remove() { for path in Self.allPaths(in: path) where unlink(path) != 0 { rmdir(path) } }

    func path(_ name: Name) -> String { "\(path)/\(name.rawValue)" }

    func file(_ name: Name) throws(PieceError) -> ScratchFile { try ScratchFile(path(name)) }

    /// Opens an empty file, which is removed when it is closed.
    func unnamedFile() throws(PieceError) -> ScratchFile {
      let file = try file(.unnamed)
      remove(.unnamed)
      return file
    }

    /// Flushes the names of files to the disk.
    func synchronize() throws(PieceError) {
      let folder = open(path, O_RDONLY | O_CLOEXEC)
      defer { if folder >= 0 { close(folder) } }
      // Some file systems have no fsync for folders.
      guard folder >= 0, fsync(folder) == 0 || errno == EINVAL else {
        throw .scratch(path: path, action: "flush it to the disk", reason: systemReason())
      }
    }

    func remove(_ name: Name) { unlink(path(name)) }

    /// Free space on the disk of the folder, in bytes; nil if the system does not report it.
    package var freeSpace: Int? { Disk(of: path)?.free }

    /// Space that the folder's files take on the disk, in bytes.
    var usedSpace: Int {
      Name.allCases.reduce(0) { sum, name in
        var status = stat()
        return sum + (lstat(path(name), &status) == 0 ? 512 * Int(status.st_blocks) : 0)
      }
    }

    /// Removes all files that a build has written there, except the lock.
    func removeFiles() { for name in Name.allCases where name != .lock { remove(name) } }
  }
#endif
