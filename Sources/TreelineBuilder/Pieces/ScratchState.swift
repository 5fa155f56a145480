import CLibrary
import Treeline

#if POSIX
  /// The saved progress of a build with a scratch folder. The next run reads this state to continue the build.
  struct ScratchState: Sendable {
    /// Text that identifies the input, the way of reading the input, and the index to build. Different builds have
    /// different identities.
    var identity: String
    /// Checksum of the input's bytes.
    var checksum: UInt64
    var survey: PointSurvey
    var skippedRowCount = 0
    /// The greatest row number.
    var greatestRow: UInt64 = 0
    /// Whether row numbers ascend in the order in which points were added.
    var rowsAscend = true
    /// The groups of all points; nil if points have no groups. Points of different groups never share a cluster.
    var groups: ScratchGroups?
    /// For each column, the number of its values that are not stored exactly. These counts are known only after all
    /// columns were encoded.
    var inexactCounts: [Int] = []
    /// The plan, and the greatest number of points in a piece; nil until the plan is made.
    var planned: (pieceSize: Int, plan: PiecePlan)?
    /// Whether all points have been moved to their pieces.
    var isPartitioned = false
    /// The files with the input that are complete. The list is empty after all points were moved to their pieces.
    var files: [FileChecksum] = []
    /// For each piece, one checksum of its points, rows and codes.
    var pieceChecksums: [UInt64] = []

    private static let title = "Treeline scratch 5"

    /// Replaces the previously saved state by this state. When this method returns, the state is on the disk.
    ///
    /// - Precondition: All data to which the state refers is on the disk.
    func save(in folder: ScratchFolder) throws(PieceError) {
      var bytes = PlainBytes([])
      bytes.append(Self.title)
      bytes.append(identity)
      bytes.append(checksum)
      bytes.append(survey)
      bytes.append([UInt64(skippedRowCount), isPartitioned ? 1 : 0, UInt64(planned?.pieceSize ?? 0)])
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
        throw .scratch(path: folder.path, action: "save the state of the build", reason: systemReason())
      }
      try folder.synchronize()
    }

    /// Reads the state that an earlier run has saved; nil if no state was saved, or if the saved state cannot be read.
    ///
    /// - Parameter onDamage: Called if the saved state cannot be read.
    init?(savedIn folder: ScratchFolder, onDamage: (PieceError) -> Void) {
      let path = folder.path(.state)
      guard access(path, F_OK) == 0 else { return nil }
      guard let state = Self(undamagedIn: folder) else {
        onDamage(.damaged(what: path, expected: "the state of a build by this release", found: "other bytes"))
        return nil
      }
      self = state
    }

    private init?(undamagedIn folder: ScratchFolder) {
      guard let file = try? folder.file(.state), file.length > 8 else { return nil }
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
        guard numbers.count == 3, rows.count == 2, bytes.isAtEnd else { return nil }
        (greatestRow, rowsAscend) = (rows[0], rows[1] != 0)
        skippedRowCount = Int(clamping: numbers[0])
        planned = plans.first.map { (Int(clamping: numbers[2]), $0) }
        isPartitioned = numbers[1] == 1 && planned?.plan.pieces.count == pieceChecksums.count
      } catch { return nil }
    }

    init(identity: String, checksum: UInt64, survey: PointSurvey) {
      (self.identity, self.checksum, self.survey) = (identity, checksum, survey)
    }
  }
#endif
