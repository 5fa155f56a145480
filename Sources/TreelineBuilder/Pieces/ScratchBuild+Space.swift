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
  extension ScratchBuild {
    /// How many bytes of the disk a build takes at most: more than it takes in most cases.
    package struct Space: Hashable, Sendable {
      /// In the scratch folder, all in all.
      package let scratch: Int
      /// What of that is there while the index is written.
      let pieces: Int
      /// For the index.
      package let index: Int
    }

    /// The survey, and what is left of the last block of each file.
    private static let mostStateLength = 600_000

    /// How many bytes it takes, once all points are read.
    package var space: Space {
      // Positions, on plain planes first beside coordinates, then beside points with their rows and codes; then those
      // and the pieces that come of them. Pieces and index take 19 bytes a point as a rule, and 2 for separations.
      let wide = rowWidth - 4
      let read = options.projection == .webMercator ? 22 : 24
      let separations = options.computesSeparations ? 2 : 0
      // The numbers of groups, and positions by group.
      let groups = options.isGrouped ? 10 : 0
      // Of one preparation at a time the order of values; its section has up to 32 levels, and ranks the different
      // values besides.
      let preparations = preparations.flatMap { $0 }
      let ordering = preparations.isEmpty ? 0 : 16
      let prepared = preparations.reduce(0) { $0 + ($1 == .percentiles ? 9 : 5) }
      return Space(
        scratch: (read + wide + groups + layout.length + (options.hasGivenRows ? 8 : 0)) * pointCount + valueLength
          + Self.mostStateLength,
        pieces: (20 + wide + layout.length + separations + ordering) * pointCount,
        index: (20 + wide + separations + prepared) * pointCount
          + columns.reduce(0) { $0 + $1.sectionLength(pointCount: pointCount) })
    }

    /// A disk that has less room than the rest of the build may take.
    package struct MissingSpace: Hashable, Sendable {
      /// What is to be written there: the scratch folder or the index.
      package let path: String
      package let isForScratch: Bool
      /// In bytes.
      package let expected: Int
      package let free: Int
    }

    /// The first disk that lacks room; nil if there is enough, or if the system does not tell.
    ///
    /// - Parameter destination: Where the index is to be, on the disk of the scratch folder or on another.
    package func missingSpace(for destination: IndexDestination) -> MissingSpace? {
      let space = space
      // Some of it is there already.
      let used = folder.usedSpace
      let (scratchDisk, indexDisk) = (Disk(of: folder.path), Disk(of: FilePath(destination.file.partialPath).folder))
      let isShared = scratchDisk?.device == indexDisk?.device
      let inScratch = (isShared ? max(space.scratch, space.pieces + space.index) : space.scratch) - used
      if let free = scratchDisk?.free, free < inScratch {
        return MissingSpace(path: folder.path, isForScratch: true, expected: inScratch, free: free)
      }
      if !isShared, let free = indexDisk?.free, free < space.index {
        return MissingSpace(path: destination.file.partialPath, isForScratch: false, expected: space.index, free: free)
      }
      return nil
    }
  }

  /// Where a folder is.
  struct Disk {
    let device: dev_t
    /// In bytes.
    let free: Int

    /// - Returns: nil where the system does not tell.
    init?(of folder: String) {
      var (status, disk) = (stat(), statvfs())
      guard stat(folder, &status) == 0, statvfs(folder, &disk) == 0 else { return nil }
      device = status.st_dev
      free = Int(clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
    }
  }
#endif
