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
  /// The folder in which a build beyond memory keeps what does not fit: one for each index, under a fixed name, so that
  /// the next build of that index finds what a killed one has left.
  package final class ScratchFolder: Sendable {
    package let path: String
    private let lock: Int32

    /// What a build may put there, in the order in which it is removed.
    enum Name: String, CaseIterable {
      case state
      /// Written first, then renamed.
      case newState = "state.new"
      /// Plain coordinates, until the plane is known.
      case coordinates
      /// On the plane, in input order; on Web Mercator as if the plane were cut open at longitude -180.
      case positions
      /// Positions by place, while the pieces are planned.
      case cells
      /// Row numbers of the input that have no point.
      case skippedRows = "skipped-rows"
      /// Positions and rows by piece, in input order within each.
      case points
      case rows
      /// The values of columns, batch by batch, and where each batch ends.
      case values
      case valueEnds = "value-ends"
      /// How columns are encoded.
      case columns
      /// The row numbers that a column of the input gives points, in input order.
      case givenRows = "given-rows"
      /// The number of each point's group, in input order.
      case groups
      /// Positions by part of the tree, while each is planned.
      case dividedPositions = "divided-positions"
      /// The codes of all columns by piece, as `rows`.
      case codes
      /// The built pieces, one behind the other, and where each ends.
      case pieces
      case pieceEnds = "piece-ends"
      /// The codes of separations.
      case separations
      /// A file that has no name but for a moment.
      case unnamed
      /// Goes last: by it the next build knows what one has left that was killed while it removed the others.
      case lock
    }

    /// The folder for an index. In a folder that several indexes share, its name tells those of one name apart.
    ///
    /// - Parameters:
    ///   - index: The path of the index.
    ///   - parent: Where the folder is; nil for beside the index.
    package static func path(forIndex index: String, in parent: String?) -> String {
      guard let parent else { return FilePath(index).hidden(suffix: ".scratch") }
      let place = FilePath(FilePath.resolved(index) ?? index)
      let start = realpath(place.folder, nil)
      defer { free(start) }
      let path = "\(start.map { String(cString: $0) } ?? place.folder)/\(place.name)"
      let hash = Array(path.utf8).withUnsafeBytes { XXHash64.hash($0) }
      return "\(parent)/\(FilePath(FilePath(index).hidden(suffix: "-\(String(hash, radix: 16)).scratch")).name)"
    }

    /// All paths that there may be, the folder's own last: for who has to remove them without knowing more.
    package static func allPaths(in path: String) -> [String] {
      Name.allCases.map { "\(path)/\($0.rawValue)" } + [path]
    }

    /// Makes the folder, or takes the one that a dead build has left.
    ///
    /// - Parameter keepsFiles: Whether what is there is kept, to go on from.
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

    /// What is there that no build has left, by whose names files of others could be removed; nil for what one has.
    private static func stranger(at path: String) -> String? {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return "something that is no folder" }
      // A build that was killed at once has left it empty.
      if access("\(path)/\(Name.lock.rawValue)", F_OK) == 0 || rmdir(path) == 0 && mkdir(path, 0o700) == 0 {
        return nil
      }
      return "a folder with other files"
    }

    /// Removes the folder and all that a build has put there.
    package func remove() { for path in Self.allPaths(in: path) where unlink(path) != 0 { rmdir(path) } }

    func path(_ name: Name) -> String { "\(path)/\(name.rawValue)" }

    func file(_ name: Name) throws(PieceError) -> ScratchFile { try ScratchFile(path(name)) }

    /// An empty file that is gone when it is closed.
    func unnamedFile() throws(PieceError) -> ScratchFile {
      let file = try file(.unnamed)
      remove(.unnamed)
      return file
    }

    /// Brings the names of files to the disk.
    func synchronize() throws(PieceError) {
      let folder = open(path, O_RDONLY | O_CLOEXEC)
      defer { if folder >= 0 { close(folder) } }
      // Some file systems know no fsync of folders.
      guard folder >= 0, fsync(folder) == 0 || errno == EINVAL else {
        throw .scratch(path: path, action: "bring it to the disk", reason: systemReason())
      }
    }

    func remove(_ name: Name) { unlink(path(name)) }

    /// How many bytes are free where the folder is; nil where the system does not tell.
    package var freeSpace: Int? { Disk(of: path)?.free }

    /// How many bytes of the disk the files in it take.
    var usedSpace: Int {
      Name.allCases.reduce(0) { sum, name in
        var status = stat()
        return sum + (lstat(path(name), &status) == 0 ? 512 * Int(status.st_blocks) : 0)
      }
    }

    /// Removes all that a build has put there.
    func removeFiles() { for name in Name.allCases where name != .lock { remove(name) } }
  }
#endif
