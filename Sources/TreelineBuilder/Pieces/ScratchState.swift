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
  /// How far a build beyond memory has come: what another run needs to know to go on from there.
  struct ScratchState: Sendable {
    /// Of what input, read how, and what becomes of it. Another build has another.
    var identity: String
    /// Of the bytes of the input.
    var checksum: UInt64
    var survey: PointSurvey
    var skippedRowCount = 0
    /// The greatest row number, and whether points come in the order of theirs.
    var greatestRow: UInt64 = 0
    var rowsAscend = true
    /// What points may share a cluster; nil if all may.
    var groups: ScratchGroups?
    /// How many numbers of each column are not kept exactly, once all are encoded.
    var inexactCounts: [Int] = []
    /// How many points a piece may have, and the plan, once there is one.
    var planned: (pieceSize: Int, plan: PiecePlan)?
    /// Whether all points are with their pieces.
    var isPartitioned = false
    /// Whether all separations are there.
    var isSeparated = false
    /// The files that lie whole in the folder: what was read, or, once points are with their pieces, the separations.
    var files: [FileChecksum] = []
    /// Of each piece, the checksum of its points, rows and codes.
    var pieceChecksums: [UInt64] = []

    private static let title = "Treeline scratch 4"

    /// Saves the state in place of an older one, which is on the disk when this returns.
    ///
    /// - Precondition: So is all that it refers to.
    func save(in folder: ScratchFolder) throws(PieceError) {
      var bytes = PlainBytes([])
      bytes.append(Self.title)
      bytes.append(identity)
      bytes.append(checksum)
      bytes.append(survey)
      bytes.append([
        UInt64(skippedRowCount), isPartitioned ? 1 : 0, UInt64(planned?.pieceSize ?? 0), isSeparated ? 1 : 0,
      ])
      bytes.append([greatestRow, rowsAscend ? 1 : 0])
      bytes.append(inexactCounts.map { UInt64($0) })
      bytes.append(groups.map { [$0] } ?? [])
      bytes.append(planned.map { [$0.plan] } ?? [])
      bytes.append(files)
      bytes.append(pieceChecksums)
      bytes.append(bytes.all.withUnsafeBytes { XXHash64.hash($0) })
      let file = try folder.file(.newState)
      try file.setLength(0)
      try bytes.all.withUnsafeBufferPointer { bytes throws(PieceError) in
        try file.write(UnsafeRawBufferPointer(bytes), at: 0)
      }
      try file.synchronize()
      guard rename(folder.path(.newState), folder.path(.state)) == 0 else {
        throw .scratch(path: folder.path, action: "note how far the build is", reason: systemReason())
      }
      try folder.synchronize()
    }

    /// The state that an earlier run has saved; nil where there is none that can be read.
    init?(savedIn folder: ScratchFolder) {
      guard access(folder.path(.state), R_OK) == 0, let file = try? folder.file(.state), file.length > 8 else {
        return nil
      }
      var all = [UInt8](repeating: 0, count: file.length)
      let isRead = all.withUnsafeMutableBytes { (try? file.read($0, at: 0)) != nil }
      let hash = all.dropLast(8).withUnsafeBytes { XXHash64.hash($0) }
      guard isRead, all.suffix(8).withUnsafeBytes({ $0.loadUnaligned(as: UInt64.self) }) == hash else { return nil }
      var bytes = PlainBytes(Array(all.dropLast(8)))
      do throws(PieceError) {
        guard try bytes.readText() == Self.title else { return nil }
        identity = try bytes.readText()
        checksum = try bytes.read()
        survey = try PointSurvey(from: &bytes)
        let numbers: [UInt64] = try bytes.readArray()
        let rows: [UInt64] = try bytes.readArray()
        inexactCounts = try bytes.readArray(of: UInt64.self).map { Int(clamping: $0) }
        groups = try bytes.readValues(of: ScratchGroups.self).first
        let plans: [PiecePlan] = try bytes.readValues()
        files = try bytes.readValues()
        pieceChecksums = try bytes.readArray()
        guard numbers.count == 4, rows.count == 2, bytes.isAtEnd else { return nil }
        (greatestRow, rowsAscend) = (rows[0], rows[1] != 0)
        skippedRowCount = Int(clamping: numbers[0])
        planned = plans.first.map { (Int(clamping: numbers[2]), $0) }
        isPartitioned = numbers[1] == 1 && planned?.plan.pieces.count == pieceChecksums.count
        isSeparated = numbers[3] == 1 && isPartitioned
      } catch { return nil }
    }

    init(identity: String, checksum: UInt64, survey: PointSurvey) {
      (self.identity, self.checksum, self.survey) = (identity, checksum, survey)
    }
  }
#endif
