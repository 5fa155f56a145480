import Treeline

#if POSIX
  /// The files of a scratch folder to which points are written while the input is read.
  struct ScratchInput {
    private let projection: Plane.Projection
    private var points: AppendedFile
    private var skippedRows: AppendedFile
    private var givenRows: AppendedFile
    private var groups: AppendedFile
    var values: ScratchValues

    /// Empties the folder. Files of another build are useless, and could be mistaken for files of this build.
    init(in folder: ScratchFolder, _ projection: Plane.Projection) throws(PieceError) {
      folder.removeFiles()
      self.projection = projection
      points = try AppendedFile(projection == .webMercator ? .positions : .coordinates, in: folder)
      (skippedRows, givenRows) = (try AppendedFile(.skippedRows, in: folder), try AppendedFile(.givenRows, in: folder))
      (groups, values) = (try AppendedFile(.groups, in: folder), try ScratchValues(writingTo: folder))
    }

    /// - Parameter positions: Positions of the coordinates if the projection is Web Mercator.
    mutating func append(
      _ coordinates: [Coordinate], _ positions: [PlanePoint], _ skipped: [Int], _ given: [UInt64],
      _ groupNumbers: [UInt16]
    ) throws(PieceError) {
      if projection == .webMercator { try points.append(positions) } else { try points.append(coordinates) }
      try skippedRows.append(skipped.map { UInt64($0) })
      try givenRows.append(given)
      try groups.append(groupNumbers)
    }

    /// Flushes all files to the disk, and returns their checksums.
    func finish() throws(PieceError) -> [FileChecksum] {
      [
        try points.finish(), try skippedRows.finish(), try givenRows.finish(), try groups.finish(),
        try values.finish(),
      ]
    }
  }
#endif
