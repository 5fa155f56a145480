import Treeline

extension Sequence<Column> {
  /// Checks every typed column. Also checks that no two columns have names with the same bytes.
  func checkTyped(_ problems: ProblemList, _ pages: PageUse) {
    var names: Set<[UInt8]> = []
    for column in self {
      let isNew = names.insert(Array(column.name.utf8)).inserted
      guard column.attribute == nil else { continue }
      problems.check(isNew, column.label, expected: "a name that no other column has", found: "a duplicate")
      column.check(problems, pages)
      if !problems.isFull { column.checkMatrices(column.label, problems, pages) }
    }
  }
}

extension Column {
  /// The column's name, shortened for messages.
  fileprivate var label: String {
    let beginning = String(name.unicodeScalars.prefix(40))
    return "column \(beginning.debugDescription)" + (beginning == name ? "" : "…")
  }

  /// Checks the whole section of a typed column.
  ///
  /// - Complexity: O(bytes)
  fileprivate func check(_ problems: ProblemList, _ pages: PageUse) {
    guard let section else { return }
    problems.check(
      section[Offset.reserved].allSatisfy { $0 == 0 } && section[Offset.isDates] <= 1, label,
      expected: "0 in the reserved bytes, and 0 or 1 as the flag for dates", found: "other bytes")
    let nameEnd = Offset.name + Int(section.read(at: Offset.nameLength) as UInt32)
    problems.check(
      String(validating: section[Offset.name..<nameEnd], as: UTF8.self) != nil, label, expected: "a name in UTF-8",
      found: "other bytes")
    problems.check(
      section[nameEnd..<Self.aligned(nameEnd)].allSatisfy { $0 == 0 }, label, expected: "zeros after the name",
      found: "other bytes")
    let start = Self.aligned(nameEnd)
    let width = Int(section[Offset.width])
    let end = start + Self.aligned(width * pointCount)
    problems.check(
      section[start + width * pointCount..<end].allSatisfy { $0 == 0 }, label, expected: "zeros after the codes",
      found: "other bytes")
    let base: Int64 = section.read(at: Offset.base)
    switch values {
    case .integers(let integers):
      problems.check(section.count == end, label, expected: "\(end) bytes", found: "\(section.count)")
      checkEntryCount(of: section, problems)
      check(integers, problems, pages)
    case .reals(let reals):
      problems.check(section.count == end, label, expected: "\(end) bytes", found: "\(section.count)")
      checkEntryCount(of: section, problems)
      problems.check(
        base == 0 && section[Offset.isDates] == 0, label,
        expected: "base 0 and no flag for dates, because the values are doubles",
        found: "base \(base)")
      (0..<pointCount).forEachBlock(noting: pages, bytesPerElement: 8) { block in
        for index in block where !problems.isFull {
          let bits = UInt64(littleEndian: reals.start[index])
          problems.check(
            Double(bitPattern: bits).isFinite || bits == AttributeColumn.nullBits, "\(label), point \(index)",
            expected: "a finite number, or the NaN that stands for a missing value",
            found: "the bits \(String(bits, radix: 16))")
        }
      }
    case .entries(let entries):
      problems.check(
        base == 0 && section[Offset.isDates] == 0, label,
        expected: "base 0 and no flag for dates, because the values are dictionary entries",
        found: "base \(base)")
      check(entries, textCount: section.count - end - 8 * (entries.dictionary.entryCount + 1), problems, pages)
    }
  }

  private func checkEntryCount(of section: UnsafeRawBufferPointer, _ problems: ProblemList) {
    let count: UInt32 = section.read(at: Offset.entryCount)
    problems.check(count == 0, label, expected: "no entries for numbers", found: "\(count)")
  }

  private func check(_ integers: IntegerValues, _ problems: ProblemList, _ pages: PageUse) {
    var (least, greatest) = (UInt64.max, UInt64(0))
    (0..<pointCount).forEachBlock(noting: pages, bytesPerElement: integers.codes.width) { block in
      for index in block {
        let code = integers.codes[index]
        if code == integers.missingCode { continue }
        (least, greatest) = (min(least, code), max(greatest, code))
      }
    }
    let isEmpty = least == .max
    let isBoolean = kind == .boolean
    problems.check(
      isBoolean ? integers.base == 0 && greatest <= 1 : isEmpty ? integers.base == 0 : least == 0, label,
      expected: isBoolean ? "only the codes 0 and 1" : "the least value as the base", found: "something else")
    let width = PackedIntegers.width(for: isEmpty ? 0 : greatest == .max ? .max : greatest + 1)
    problems.check(
      integers.codes.width == width || isBoolean && integers.codes.width == 1, label,
      expected: "\(width) bytes per code",
      found: "\(integers.codes.width)")
    problems.check(
      !isEmpty || integers.digits == 0 && !integers.isDates, label,
      expected: "0 decimals and no dates, because no point has a value", found: "\(integers.digits) decimals")
    problems.check(
      !integers.isDates || kind == .time, label, expected: "no flag for dates, because the column's kind is not time",
      found: "the flag")
  }

  private func check(_ entries: EntryValues, textCount: Int, _ problems: ProblemList, _ pages: PageUse) {
    let dictionary = entries.dictionary
    dictionary.checkUse(
      byPoints: pointCount, bytesPerCode: entries.codes.width, allowsMissing: true, label, problems, pages
    ) { entries.codes[$0] }
    let byteCount = dictionary.checkEntries(label, problems, pages) {
      $0[0] == AttributeValue.Tag.string.rawValue || kind == .text
    }
    problems.check(
      problems.isFull || byteCount == textCount, label, expected: "entries that fill all \(textCount) bytes of text",
      found: "\(byteCount)")
  }
}

extension ColumnDictionary {
  /// Checks that every point has an entry and that every entry is used.
  ///
  /// - Parameters:
  ///   - allowsMissing: Whether a point may have no value. Its code is then the number of entries.
  ///   - code: Returns the code of a point, which is the number of its entry.
  @inline(__always) func checkUse(
    byPoints pointCount: Int, bytesPerCode: Int, allowsMissing: Bool, _ label: String, _ problems: ProblemList,
    _ pages: PageUse, code: (Int) -> UInt64
  ) {
    let count = UInt64(entryCount)
    var isUsed = BitSet(count: entryCount)
    (0..<pointCount).forEachBlock(noting: pages, bytesPerElement: bytesPerCode) { block in
      for index in block where !problems.isFull {
        let code = code(index)
        if code < count {
          _ = isUsed.insert(Int(code))
        } else {
          problems.check(
            allowsMissing && code == count, "\(label), point \(index)", expected: "one of \(entryCount) entries",
            found: "entry \(code)")
        }
      }
    }
    for entry in 0..<entryCount where !isUsed[entry] && !problems.isFull {
      problems.add("\(label), entry \(entry)", expected: "an entry that some point uses", found: "an unused entry")
    }
  }

  /// Checks that entries follow one another without gaps, in the order of their bytes. Returns the total size of the
  /// entries in bytes.
  ///
  /// - Parameter isSuited: Whether the column may have an entry with the given bytes.
  @inline(__always) func checkEntries(
    _ label: String, _ problems: ProblemList, _ pages: PageUse, isSuited: (UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    var previous = UnsafeRawBufferPointer(start: nil, count: 0)
    var byteCount = 0
    for entry in 0..<entryCount where !problems.isFull {
      guard let bytes = bytes(ofEntry: entry) else {
        problems.add("\(label), entry \(entry)", expected: "offsets within the text", found: "other offsets")
        continue
      }
      pages.note(byteCount: 8 + bytes.count)
      problems.check(
        AttributeColumn.isSound(bytes) && isSuited(bytes), "\(label), entry \(entry)",
        expected: "a tag and a text that fits the tag", found: "something else")
      problems.check(
        previous.lexicographicallyPrecedes(bytes), "\(label), entry \(entry)",
        expected: "entries in the order of their bytes", found: "another order")
      previous = bytes
      byteCount += bytes.count
    }
    return byteCount
  }
}
