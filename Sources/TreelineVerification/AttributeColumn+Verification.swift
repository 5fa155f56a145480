import Treeline

extension Sequence<AttributeColumn> {
  /// Checks every column. Also checks that no two names have the same bytes. Two names with different bytes are
  /// allowed, even if Unicode treats the two names as equal.
  func check(isOfKnownVersion: Bool, _ problems: ProblemList, _ pages: PageUse) {
    var names: Set<[UInt8]> = []
    for column in self {
      problems.check(
        names.insert(Array(column.nameBytes)).inserted, column.label, expected: "a name that no other attribute has",
        found: "a duplicate")
      column.check(isOfKnownVersion: isOfKnownVersion, problems, pages)
    }
  }
}

extension AttributeColumn {
  /// The attribute's name, shortened for messages. The full name could be almost as long as the file.
  fileprivate var label: String {
    let beginning = name.unicodeScalars.prefix(40)
    let isWhole = beginning.endIndex == name.endIndex
    return "attribute \(String(beginning).debugDescription)" + (isWhole ? "" : "…")
  }

  /// Checks every value, the name and the padding.
  ///
  /// - Complexity: O(bytes)
  fileprivate func check(isOfKnownVersion: Bool, _ problems: ProblemList, _ pages: PageUse) {
    let reserved: UInt32 = section.read(at: 12)
    problems.check(
      reserved == 0 || !isOfKnownVersion, label, expected: "0 in the reserved bytes 12 to 15", found: "\(reserved)")
    problems.check(
      String(validating: nameBytes, as: UTF8.self) != nil, label, expected: "a name in UTF-8", found: "other bytes")
    problems.check(
      section[Self.fixedLength + nameBytes.count..<section.count - body.count].allSatisfy { $0 == 0 }, label,
      expected: "zeros after the name", found: "other bytes")
    switch encoding {
    case .numbers: checkNumbers(problems, pages)
    case .dictionary:
      checkEntryNumbers(problems, pages)
      checkEntries(problems, pages)
    }
  }

  private func checkNumbers(_ problems: ProblemList, _ pages: PageUse) {
    (0..<pointCount).forEachBlock(noting: pages, bytesPerElement: 8) { block in
      for index in block where !problems.isFull {
        let bits: UInt64 = body.read(at: 8 * index)
        problems.check(
          Double(bitPattern: bits).isFinite || bits == Self.nullBits || bits == Self.absentBits,
          "\(label), point \(index)",
          expected: "a finite number, the NaN that means null, or the NaN that means an absent value",
          found: "the bits \(String(bits, radix: 16))")
      }
    }
    problems.check(entryCount == 0, label, expected: "no dictionary for numbers", found: "\(entryCount) entries")
    problems.check(
      body.count == 8 * pointCount, label, expected: "\(8 * pointCount) bytes of numbers", found: "\(body.count)")
  }

  /// Checks that every point has an entry and that every entry is used.
  private func checkEntryNumbers(_ problems: ProblemList, _ pages: PageUse) {
    dictionary.checkUse(byPoints: pointCount, bytesPerCode: 4, allowsMissing: false, label, problems, pages) {
      UInt64(body.read(at: 4 * $0) as UInt32)
    }
    problems.check(
      body[4 * pointCount..<Self.tableStart(pointCount)].allSatisfy { $0 == 0 }, label,
      expected: "zeros before the dictionary", found: "other bytes")
  }

  /// Checks that entries follow one another without gaps, in the order of their bytes.
  private func checkEntries(_ problems: ProblemList, _ pages: PageUse) {
    let table = Self.tableStart(pointCount)
    let textCount = body.count - table - 8 * (entryCount + 1)
    let (start, end): (UInt64, UInt64) = (body.read(at: table), body.read(at: table + 8 * entryCount))
    problems.check(
      start == 0 && end == textCount, label, expected: "entries that fill all \(textCount) bytes of text",
      found: "bytes \(start) to \(end)")
    _ = dictionary.checkEntries(label, problems, pages) { _ in true }
  }

  static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let text = UnsafeRawBufferPointer(rebasing: bytes[1...])
    return switch AttributeValue.Tag(rawValue: bytes[0]) {
    case .null, .no, .yes, .absent: text.isEmpty
    case .number: JSONSyntax.isNumber(text)
    case .string: String(validating: text, as: UTF8.self) != nil
    case .json: JSONSyntax.isValue(text)
    case nil: false
    }
  }
}
