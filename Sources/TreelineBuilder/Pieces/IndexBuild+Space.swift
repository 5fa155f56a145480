import CLibrary
import Treeline

#if POSIX
  extension IndexBuild {
    /// Upper bound of the disk space that a build takes, in bytes. Most builds take less space.
    package struct Space: Hashable, Sendable {
      /// Space for all files of the scratch folder.
      package let scratch: Int
      /// Space in the scratch folder that is needed while the index is written.
      let pieces: Int
      /// Space for the index.
      package let index: Int
    }

    /// Space for the survey, and for the unused part of each file's last block, in bytes.
    private static let mostStateLength = 600_000

    /// Upper bound of the disk space that the build needs. The bound is known once all points are read.
    package var space: Space {
      // At first the folder holds the positions of all points in input order, and for plain x and y also the
      // coordinates. Later the folder holds these positions together with the data of each piece: positions, rows and
      // codes. At the end the folder holds the data of each piece together with the built pieces. The built pieces
      // usually take 19 bytes per point, and the index takes about the same space as the built pieces. Merge
      // scales take 2 more bytes per point.
      let wide = rowWidth - 4
      // While clusters are merged, their arrays take up to 100 bytes per point.
      let read = options.isMerged ? 110 : options.projection == .webMercator ? 22 : 24
      let scales = options.isMerged ? 2 : 0
      // Bytes for each point in a build with groups: 2 bytes for the number of the point's group, and 8 bytes for the
      // point's position. A file holds these positions, sorted by group. While clusters are merged, the trees of all
      // groups so far exist in addition to the arrays of one group.
      let groups = !options.isGrouped ? 0 : options.isMerged ? 70 : 10
      // Preparing an aggregate takes space for the order of the values. Only one aggregate is prepared at a time.
      // A build by merging keeps the input and the arrays of the tree until the index is written. The tree has more
      // nodes than a split tree.
      let kept = options.isMerged ? valueLength + (38 + (options.hasGivenRows ? 8 : 0)) * pointCount : 0
      let preparations = preparations.flatMap { $0 }
      let ordering = preparations.isEmpty ? 0 : 16
      let prepared = preparations.reduce(0) { $0 + $1.greatestSize }
      return Space(
        scratch: (read + wide + groups + layout.length + (options.hasGivenRows ? 8 : 0)) * pointCount + valueLength
          + Self.mostStateLength,
        pieces: (20 + wide + layout.length + scales + ordering) * pointCount + kept,
        index: ((options.isMerged ? 28 : 20) + wide + scales + prepared) * pointCount
          + columns.reduce(0) { $0 + $1.sectionLength(pointCount: pointCount) })
    }

    /// A disk that may have too little free space for the rest of the build.
    package struct MissingSpace: Hashable, Sendable {
      /// Path of the scratch folder if it is on this disk; otherwise the path of the index.
      package let path: String
      package let isForScratch: Bool
      /// Free space that the build may need on this disk, in bytes.
      package let expected: Int
      /// Free space, in bytes.
      package let free: Int
    }

    /// Returns the first disk that lacks space; nil if no disk lacks space, if the system does not report free space,
    /// or if the points are in memory.
    ///
    /// - Parameter destination: Destination of the index, which may be on the disk of the scratch folder or on another
    ///   disk.
    package func missingSpace(for destination: IndexDestination) -> MissingSpace? {
      if scratch == nil { return nil }
      let space = space
      // The files of this build already take a part of the required space. Only the other part must be free.
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

  /// The disk that contains a folder.
  struct Disk {
    let device: dev_t
    /// Free space in bytes.
    let free: Int

    /// - Returns: nil if the system does not report the free space.
    init?(of folder: String) {
      var (status, disk) = (stat(), statvfs())
      guard stat(folder, &status) == 0, statvfs(folder, &disk) == 0 else { return nil }
      device = status.st_dev
      free = Int(clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
    }
  }
#endif
