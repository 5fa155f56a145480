extension Sequence<AttributeColumn> {
  /// Checks every column, and that bytes tell their names apart: names that are equal to Unicode may be two.
  func check(isOfKnownVersion: Bool, _ problems: inout ProblemList) {
    var names: Set<[UInt8]> = []
    for column in self {
      if !names.insert(Array(column.nameBytes)).inserted {
        problems.add(column.place, expected: "a name that no other attribute has", found: "it again")
      }
      column.check(isOfKnownVersion: isOfKnownVersion, &problems)
    }
  }
}

extension AttributeColumn {
  /// By its name or, as that may be almost all of the file, by how it begins.
  fileprivate var place: String {
    let beginning = name.unicodeScalars.prefix(40)
    let isWhole = beginning.endIndex == name.endIndex
    return "attribute \(String(beginning).debugDescription)" + (isWhole ? "" : "…")
  }

  /// Checks every value, and that the section holds nothing else.
  ///
  /// - Complexity: O(bytes)
  fileprivate func check(isOfKnownVersion: Bool, _ problems: inout ProblemList) {
    if isOfKnownVersion && section.read(at: 12) as UInt32 != 0 {
      problems.add(place, expected: "0 in the bytes from 12 on", found: "\(section.read(at: 12) as UInt32)")
    }
    if String(validating: nameBytes, as: UTF8.self) == nil {
      problems.add(place, expected: "a name in UTF-8", found: "other bytes")
    }
    if section[Self.fixedLength + nameBytes.count..<section.count - body.count].contains(where: { $0 != 0 }) {
      problems.add(place, expected: "zeros behind the name", found: "other bytes")
    }
    switch encoding {
    case .numbers: checkNumbers(&problems)
    case .dictionary:
      checkPlaces(&problems)
      checkEntries(&problems)
    }
  }

  private func checkNumbers(_ problems: inout ProblemList) {
    for index in 0..<pointCount where !problems.isFull {
      let bits: UInt64 = body.read(at: 8 * index)
      if !Double(bitPattern: bits).isFinite && bits != Self.nullBits && bits != Self.absentBits {
        problems.add(
          "\(place), point \(index)", expected: "a finite number, or the NaN of null or of absent",
          found: "the bits \(String(bits, radix: 16))")
      }
    }
    if entryCount != 0 {
      problems.add(place, expected: "no dictionary beside numbers", found: "\(entryCount) entries")
    }
    if body.count != 8 * pointCount {
      problems.add(place, expected: "\(8 * pointCount) bytes of numbers", found: "\(body.count)")
    }
  }

  /// Every point has an entry, and every entry a point.
  private func checkPlaces(_ problems: inout ProblemList) {
    var isUsed = [Bool](repeating: false, count: entryCount)
    for index in 0..<pointCount where !problems.isFull {
      let entry: UInt32 = body.read(at: 4 * index)
      if entry < entryCount {
        isUsed[Int(entry)] = true
      } else {
        problems.add(
          "\(place), point \(index)", expected: "one of \(entryCount) entries", found: "entry \(entry)")
      }
    }
    for entry in isUsed.indices where !isUsed[entry] && !problems.isFull {
      problems.add("\(place), entry \(entry)", expected: "a value of some point", found: "none's")
    }
    if body[4 * pointCount..<Self.tableStart(pointCount)].contains(where: { $0 != 0 }) {
      problems.add(place, expected: "zeros before the dictionary", found: "other bytes")
    }
  }

  /// Entries lie one behind the other, each above the one before it in the order of bytes.
  private func checkEntries(_ problems: inout ProblemList) {
    let table = Self.tableStart(pointCount)
    let textCount = body.count - table - 8 * (entryCount + 1)
    let (start, end): (UInt64, UInt64) = (body.read(at: table), body.read(at: table + 8 * entryCount))
    if start != 0 || end != textCount {
      problems.add(
        place, expected: "entries over all \(textCount) bytes of text", found: "bytes \(start) to \(end)")
    }
    var previous = UnsafeRawBufferPointer(start: nil, count: 0)
    for entry in 0..<entryCount where !problems.isFull {
      guard let bytes = entryBytes(entry) else {
        problems.add("\(place), entry \(entry)", expected: "a stretch of the text", found: "another")
        continue
      }
      if !Self.isSound(bytes) {
        problems.add("\(place), entry \(entry)", expected: "a tag and text that suits it", found: "others")
      }
      if !previous.lexicographicallyPrecedes(bytes) {
        problems.add(
          "\(place), entry \(entry)", expected: "entries in the order of their bytes", found: "another")
      }
      previous = bytes
    }
  }

  private static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
