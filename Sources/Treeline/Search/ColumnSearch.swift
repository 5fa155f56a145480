/// A section of kind `search`, which serves to search the texts of a column. The section lists places. A place is the
/// offset of the first byte of a word in the column's dictionary. Each place stands for the text from this byte to the
/// end of the dictionary entry. Places are sorted by their folded texts, which have no case and no accents. The
/// section also lists the points, sorted by their entries.
///
/// The texts themselves are read from the dictionary and folded when they are compared.
package struct ColumnSearch: @unchecked Sendable {
  /// Offsets of the fields at the start of the section. Three lists follow: `beginnings`, `words` and `points`.
  package enum Offset {
    /// Offset of the column's number. This number is the index of the column's section among the sections of kind
    /// `column`.
    static let column = 0
    static let fold = 4
    package static let pointCount = 8
    package static let width = 12
    static let beginningCount = 16
    static let wordCount = 20
    package static let lists = 24
  }

  /// The place of the first word of each text. A place is the number of bytes from the start of the dictionary's first
  /// entry to the start of a word. Texts without a word have no place.
  package let beginnings: PackedIntegers
  /// The places of all words that the section lists, except the first word of each text. The places of first words are
  /// in `beginnings`.
  package let words: PackedIntegers
  /// The tree indices of all points whose text is not missing, sorted by the dictionary entry of this text.
  package let points: PackedIntegers
  /// The bytes of the section.
  package let section: UnsafeRawBufferPointer

  package static func byteCount(places: Int, width: Int, points: Int) -> Int {
    Offset.lists + width * places + 4 * points
  }

  /// Returns how many bytes the section uses for a place if the dictionary has `byteCount` bytes. A place is an offset
  /// in the dictionary.
  package static func width(ofText byteCount: Int) -> Int { byteCount <= 1 << 32 ? 4 : 8 }

  /// Greatest number of words that are listed for a text, without its first word.
  package static let mostWords = 255

  /// Greatest number of words in a section, per point. Most names have two to four words.
  private static let mostWordsPerPoint = 8

  /// Returns the greatest number of words in a section. The section stores numbers of words in 32 bits.
  private static func mostWords(pointCount: Int) -> Int { min(mostWordsPerPoint * pointCount, Int(UInt32.max)) }

  /// Returns how many words may be listed for each text, without its first word. This number is chosen so that the
  /// section lists at most `mostWordsPerPoint` words per point.
  ///
  /// - Parameter counts: At index i from 1 to `mostWords`, the number of texts with at least i words after the first
  ///   word. At index 0, the number of texts with any word.
  package static func wordLimit(counts: [Int], pointCount: Int) -> Int {
    var room = mostWords(pointCount: pointCount) - counts[0]
    for number in 1..<counts.count {
      room -= counts[number]
      if room < 0 { return number - 1 }
    }
    return mostWords
  }

  /// Reads the fields at the start of a section, and checks the length of the rest of the section.
  init(_ section: NamedBytes, of column: Column) throws(IndexError) {
    let bytes = section.bytes
    try section.require(
      bytes.count >= Offset.lists, at: 0, "a search section of at least \(Offset.lists) bytes",
      found: "\(bytes.count)")
    func number(at part: Int) -> Int { Int(bytes.read(at: part) as UInt32) }
    guard case .entries(let entries) = column.values else {
      throw section.malformed(
        at: 0, expected: "a column of texts or categories", found: "a column of kind \(column.kind.rawValue)")
    }
    try section.require(
      number(at: Offset.fold) == Int(TextFold.version), at: Offset.fold, "folded forms version \(TextFold.version)",
      found: "\(number(at: Offset.fold))")
    let (width, pointCount) = (number(at: Offset.width), number(at: Offset.pointCount))
    let (beginningCount, wordCount) = (number(at: Offset.beginningCount), number(at: Offset.wordCount))
    try section.require(width == 4 || width == 8, at: Offset.width, "a width of 4 or 8 bytes", found: "\(width)")
    try section.require(
      pointCount <= column.pointCount, at: Offset.pointCount, "at most \(column.pointCount) points",
      found: "\(pointCount)")
    let entryCount = entries.dictionary.entryCount
    try section.require(
      beginningCount <= entryCount, at: Offset.beginningCount, "at most \(entryCount) texts", found: "\(beginningCount)"
    )
    let mostWords = Self.mostWords(pointCount: pointCount)
    try section.require(
      wordCount <= mostWords, at: Offset.wordCount, "at most \(mostWords) words", found: "\(wordCount)")
    let needed = Self.byteCount(places: beginningCount + wordCount, width: width, points: pointCount)
    try section.require(
      bytes.count == needed, at: 0,
      "a search section of \(needed) bytes for \(beginningCount) texts, \(wordCount) words and \(pointCount) points",
      found: "\(bytes.count)")
    let start = bytes.baseAddress! + Offset.lists
    beginnings = PackedIntegers(start, count: beginningCount, width: width)
    words = PackedIntegers(start + width * beginningCount, count: wordCount, width: width)
    points = PackedIntegers(start + width * (beginningCount + wordCount), count: pointCount, width: 4)
    self.section = bytes
  }

  /// Compares a text with `beginning`, the characters that a search looks for. Returns 0 if the folded text begins
  /// with `beginning`. Otherwise returns -1 if the folded text sorts before `beginning`, and 1 if it sorts after
  /// `beginning`.
  package static func order(of text: UnsafeRawBufferPointer, to beginning: [UInt32]) -> Int {
    var folded = FoldedText(text)
    for character in beginning {
      guard let next = folded.next() else { return -1 }
      if next != character { return next < character ? -1 : 1 }
    }
    return 0
  }

  /// Visits the entries whose text begins with `beginning`, sorted by their texts. Then visits the entries in which
  /// `beginning` occurs at the start of a later word, sorted by their texts from this word on. Only words that the
  /// section lists are considered. No entry is visited twice. The function stops when `visit` returns false.
  func forEachEntry(
    of dictionary: ColumnDictionary, from beginning: [UInt32], _ visit: (_ entry: Int) -> Bool
  ) {
    var visited: Set<Int> = []
    for places in [beginnings, words] {
      let start = firstIndex(in: 0..<places.count) {
        guard let (_, text) = dictionary.text(from: places[$0]) else { return true }
        return Self.order(of: text, to: beginning) >= 0
      }
      for number in start..<places.count {
        guard let (entry, text) = dictionary.text(from: places[number]),
          Self.order(of: text, to: beginning) == 0
        else { break }
        guard visited.insert(entry).inserted else { continue }
        guard visit(entry) else { return }
      }
    }
  }

  /// Returns the tree indices of the points whose value is the given entry, in tree order.
  func indices(ofEntry entry: Int, in column: Column, limit: Int) -> [Int] {
    let keys = OrderedKeys(of: column)
    func key(_ place: Int) -> UInt64? {
      let index = Int(points[place])
      return index < column.pointCount ? keys[index] : nil
    }
    var place = firstIndex(in: 0..<points.count) { key($0).map { $0 >= entry } ?? true }
    var indices: [Int] = []
    while indices.count < limit, place < points.count, key(place) == UInt64(entry) {
      indices.append(Int(points[place]))
      place += 1
    }
    return indices
  }
}

extension ColumnDictionary {
  /// Finds the entry whose text contains the byte at a given place. Returns this entry, and its text from this byte
  /// on. Returns nil if the byte is in no entry's text.
  ///
  /// - Parameter place: Number of bytes from the start of the first entry to the byte.
  package func text(from place: UInt64) -> (entry: Int, text: UnsafeRawBufferPointer)? {
    let entry = firstIndex(in: 0..<entryCount) { end(ofEntry: $0) > place }
    guard let bytes = bytes(ofEntry: entry) else { return nil }
    let (offset, isBefore) = place.subtractingReportingOverflow(end(ofEntry: entry) - UInt64(bytes.count))
    guard !isBefore, offset > 0, offset < bytes.count else { return nil }
    return (entry, UnsafeRawBufferPointer(rebasing: bytes[Int(offset)...]))
  }

  /// Returns the searchable text of an entry; nil if the entry is not a string.
  package func searchedText(ofEntry entry: Int) -> UnsafeRawBufferPointer? {
    guard let bytes = bytes(ofEntry: entry), bytes[0] == AttributeValue.Tag.string.rawValue else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[1...])
  }

  /// Returns the place at which the text of an entry begins. The first byte of an entry is a tag that names the type
  /// of the value, and the text follows this tag.
  package func textPlace(ofEntry entry: Int) -> UInt64 { (entry == 0 ? 0 : end(ofEntry: entry - 1)) &+ 1 }
}
