@_spi(Server) import Treeline
@_spi(Server) import TreelineBuilder
@_spi(Server) import TreelineFormats

/// A batch of changes to the points of a live index.
struct LiveBatch: Sendable {
  /// Name of the batch. A client that sends the batch again uses the same name.
  let id: String
  /// Hash of the lines. The hash distinguishes a repeated batch from a different batch with the same name.
  let digest: UInt64
  /// The lines as they were sent.
  let lines: [UInt8]
  /// For each key, the new point, or nil to remove the point. If several lines have the same key, the last line counts.
  let changes: [PointKey: KeyedPoint?]

  /// Maximum number of lines.
  static let mostLines = 10_000
  /// Maximum length of the name, in bytes.
  static let longestID = 64

  /// Reads a batch for an index with the given columns.
  ///
  /// - Parameter mostDecimals: `Column.mostDecimals` of each column.
  /// - Throws: `PointChangeError` for the first invalid line. `Problem` if there are too many lines.
  init(id: String, lines: [UInt8], columns: [Column], mostDecimals: [Int], key: Column) throws {
    (self.id, self.lines) = (id, lines)
    digest = ContentHash.hash(of: lines)
    let read = try lines.withUnsafeBytes { bytes throws(PointChangeError) in try PointChange.read(bytes) }
    guard read.count <= Self.mostLines else {
      throw Problem(
        status: .contentTooLarge,
        detail: "A batch may have at most \(Self.mostLines) lines, found \(read.count); send several batches.")
    }
    guard !read.isEmpty else { throw PointChangeError(line: 1, expected: "a Feature or a removal", found: "no line") }
    let numbers = Dictionary(columns.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
    guard let keyNumber = numbers[key.name] else { preconditionFailure("The key is not one of the columns") }
    var changes: [PointKey: KeyedPoint?] = [:]
    var points: [(line: Int, values: [AttributeValue?])] = []
    for change in read {
      func found(_ value: AttributeValue?) throws(PointChangeError) -> PointKey {
        if let value, let key = PointKey(value, kind: key.kind) { return key }
        // Only if the value is a number, its range matters.
        let range = if case .number? = value { " from \(-Int64.max) to \(Int64.max)" } else { "" }
        throw PointChangeError(
          line: change.line,
          expected: "a key that is \(key.kind == .number ? "a whole number" + range : "a text"), in "
            + key.name.debugDescription, found: value?.briefDescription ?? "none")
      }
      switch change.action {
      case .remove(let value): changes[try found(value)] = .some(nil)
      case .put(let coordinate, let properties):
        var values = [AttributeValue?](repeating: nil, count: columns.count)
        for (name, value) in properties {
          guard let number = numbers[name] else {
            throw PointChangeError(
              line: change.line, expected: "properties that are columns of the index",
              found: AttributeValue.string(name).briefDescription)
          }
          values[number] = value
        }
        let key = try found(values[keyNumber])
        changes[key] = KeyedPoint(key: key, coordinate: coordinate, values: values)
        points.append((change.line, values))
      }
    }
    for (number, column) in columns.enumerated() {
      if let bad = column.firstUnsuitable(points.map { $0.values[number] }, mostDecimals: mostDecimals[number]) {
        throw PointChangeError(
          line: points[bad.number].line, expected: "\(bad.expected) in \(column.name.debugDescription)",
          found: bad.found)
      }
    }
    self.changes = changes
  }
}

/// The answer to a batch. A repeated batch gets the same answer.
struct LiveAnswer: Encodable, Sendable {
  /// Number of the first index version that contains the batch.
  let sequence: UInt64
  let inserted, replaced, removed: Int
}

/// Contents of a record in the log.
///
/// All numbers are little-endian. The first record consists of three numbers of 8 bytes, the key column and the
/// remembered answers. The first number is the history before the first batch in the log. The second is the number of
/// the version before the first batch in the log. The third is the checksum of the index to which the batches are
/// applied. Each further record contains the batches that were written to the disk together, or a note of the checksum
/// of a new index file. The server writes this note before the new file replaces the old file. If the server is killed
/// before it removes the batches in the new file from the log, the note shows that the log belongs to the new file.
struct LiveRecord {
  /// Hash of all batches before the first batch in the log. The history of a new log begins with a random number. Each
  /// version of the index is named by its history. So two versions have different names if different batches led to
  /// them, even if both have the same number, as after the log was restored from a copy.
  var history: UInt64 = 0
  var sequence: UInt64 = 0
  var indexChecksum: UInt64 = 0
  /// Name of the column with the keys; nil in an older log, which does not have this name.
  var key: String?
  var answers: [Entry] = []

  /// A batch and the answer to it. A remembered answer is an entry without lines. Batches have names. The key column
  /// and the notes of new index files are entries without a name, so that the first record has the form of older logs.
  struct Entry: Sendable {
    let id: String
    let digest: UInt64
    let answer: LiveAnswer
    var lines: [UInt8] = []
    var isBatch: Bool { !id.isEmpty }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in [history, sequence, indexChecksum] { bytes.append(number) }
    if let key { Self.append(Self.unnamed(key: key), to: &bytes) }
    for entry in answers { Self.append(entry, to: &bytes) }
    return bytes
  }

  /// Returns a record that notes the checksum of a new index file. The record also has the key, because the last block
  /// of a record must not have only zeros (see `EditLog`).
  static func note(ofIndex checksum: UInt64, key: String) -> [UInt8] {
    var bytes: [UInt8] = []
    append(unnamed(digest: checksum, key: key), to: &bytes)
    return bytes
  }

  private static func unnamed(digest: UInt64 = 0, key: String) -> Entry {
    Entry(
      id: "", digest: digest, answer: LiveAnswer(sequence: 0, inserted: 0, replaced: 0, removed: 0),
      lines: Array(key.utf8))
  }

  /// Reads the first record of a log; nil if the bytes are not a valid first record.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let history = rest.number(), let sequence = rest.number(), let checksum = rest.number(),
      let entries = Self.entries(rest)
    else { return nil }
    (self.history, self.sequence, indexChecksum) = (history, sequence, checksum)
    answers = entries.filter(\.isBatch)
    key = entries.first { !$0.isBatch }.map { String(decoding: $0.lines, as: UTF8.self) }
  }

  init(history: UInt64, sequence: UInt64, indexChecksum: UInt64, key: String, answers: [Entry]) {
    (self.history, self.sequence, self.indexChecksum) = (history, sequence, indexChecksum)
    (self.key, self.answers) = (key, answers)
  }

  /// Returns the history after a batch.
  static func history(_ history: UInt64, id: String, digest: UInt64) -> UInt64 {
    ContentHash.hash(of: Array("\(history) \(digest) \(id)".utf8))
  }

  static func append(_ entry: Entry, to bytes: inout [UInt8]) {
    let answer = entry.answer
    let id = Array(entry.id.utf8)
    for number in [
      entry.digest, answer.sequence, UInt64(answer.inserted), UInt64(answer.replaced), UInt64(answer.removed),
      UInt64(id.count), UInt64(entry.lines.count),
    ] { bytes.append(number) }
    bytes += id
    bytes += entry.lines
  }

  /// Returns the entries in the bytes of a record; nil if the bytes are invalid.
  static func entries(_ bytes: ArraySlice<UInt8>) -> [Entry]? {
    var (rest, entries) = (bytes, [Entry]())
    while !rest.isEmpty {
      var numbers: [UInt64] = []
      for _ in 0..<7 {
        guard let number = rest.number() else { return nil }
        numbers.append(number)
      }
      guard let counts = Optional(numbers[2..<5].compactMap { Int(exactly: $0) }), counts.count == 3,
        let id = rest.take(numbers[5]), let lines = rest.take(numbers[6])
      else { return nil }
      entries.append(
        Entry(
          id: String(decoding: id, as: UTF8.self), digest: numbers[0],
          answer: LiveAnswer(sequence: numbers[1], inserted: counts[0], replaced: counts[1], removed: counts[2]),
          lines: Array(lines)))
    }
    return entries
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: UInt64) { Swift.withUnsafeBytes(of: number.littleEndian) { self += $0 } }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func number() -> UInt64? {
    take(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  fileprivate mutating func take(_ length: UInt64) -> ArraySlice<UInt8>? {
    guard length <= UInt64(count) else { return nil }
    defer { self = dropFirst(Int(length)) }
    return prefix(Int(length))
  }
}
