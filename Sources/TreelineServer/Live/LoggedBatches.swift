@_spi(Server) import Treeline

/// The contents of a log, before its batches are applied to an index.
struct LoggedBatches {
  /// The first record; nil if the log is new.
  let start: LiveRecord?
  /// The batches after the first record, each with the number of its record, counted from 1.
  let batches: [(record: Int, entry: LiveRecord.Entry)]
  /// Checksums of the indexes to which the batches may be applied: the index of the first record, and each index file
  /// that the server began to write after that record.
  private let checksums: Set<UInt64>
  private let path: String

  /// - Throws: `LiveError.unreadable`
  init(_ records: [[UInt8]], path: String) throws(LiveError) {
    self.path = path
    start = try records.first.map { bytes throws(LiveError) in
      guard let start = LiveRecord(bytes) else { throw .unreadable(path: path, record: 1, nil) }
      return start
    }
    var batches: [(record: Int, entry: LiveRecord.Entry)] = []
    var checksums = Set(start.map { [$0.indexChecksum] } ?? [])
    for (number, record) in records.enumerated().dropFirst() {
      guard let entries = LiveRecord.entries(record[...]) else {
        throw .unreadable(path: path, record: number + 1, nil)
      }
      for entry in entries {
        if entry.isBatch { batches.append((number + 1, entry)) } else { checksums.insert(entry.digest) }
      }
    }
    (self.batches, self.checksums) = (batches, checksums)
  }

  /// Checks that the batches belong to an index and its key column. An older log does not name its key column, and
  /// may belong to an index file that it does not note, so it is not checked. A log without batches fits any index.
  ///
  /// - Returns: Whether the answers in the first record belong to the index and its key column, too.
  /// - Throws: `LiveError.otherIndex`, `LiveError.otherKey`
  func requireIndex(_ checksum: UInt64, path index: String, key: String) throws(LiveError) -> Bool {
    guard let ownKey = start?.key else { return true }
    let (isOwnIndex, isOwnKey) = (checksums.contains(checksum), key == ownKey)
    if batches.isEmpty { return isOwnIndex && isOwnKey }
    guard isOwnIndex else { throw .otherIndex(log: path, index: index) }
    guard isOwnKey else { throw .otherKey(log: path, expected: ownKey, found: key) }
    return true
  }
}
