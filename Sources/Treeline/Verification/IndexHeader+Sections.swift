extension IndexHeader {
  /// Whether all that the file may hold is known. A later minor version may use reserved bytes and more kinds of sections.
  var isOfKnownVersion: Bool { minorVersion <= Self.minorVersion }

  /// Checks the section table, the sections' checksums, and that nothing lies between them but as many zeros as it takes.
  func checkSections(of bytes: UnsafeRawBufferPointer, _ problems: inout ProblemList) {
    var end = UInt64(length)
    for (index, section) in sections.enumerated() {
      checkEntry(index, behind: end, &problems)
      checkZeros(bytes, from: end, to: section.offset, &problems)
      end = section.offset + section.length
      let range = Int(section.offset)..<Int(end)
      let checksum = XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[range]))
      if checksum != section.checksum {
        problems.add(
          "section \(section.kind) at byte \(section.offset)",
          expected: "checksum \(String(section.checksum, radix: 16))", found: String(checksum, radix: 16))
      }
    }
    checkZeros(bytes, from: end, to: UInt64(bytes.count), &problems)
    if end != bytes.count {
      problems.add(
        "byte \(end)", expected: "the end of the file", found: "\(UInt64(bytes.count) - end) bytes more")
    }
  }

  private func checkEntry(_ index: Int, behind end: UInt64, _ problems: inout ProblemList) {
    let (section, entry) = (sections[index], Self.offset(ofEntry: index))
    if isOfKnownVersion && !section.kind.isKnown && !section.kind.isPrivate {
      problems.add(
        "section table, byte \(entry)",
        expected: "a kind of section that version \(majorVersion).\(minorVersion) has, or one from 2^31 on",
        found: "\(section.kind.rawValue)")
    }
    // Opening has refused the flag of every kind that is not known.
    if section.isRequired != section.kind.isInEveryIndex && section.kind.isKnown {
      problems.add(
        "section table, byte \(entry + 4)",
        expected: "the flag \(section.kind.isInEveryIndex ? 1 : 0) of a section of \(section.kind)",
        found: section.isRequired ? "1" : "0")
    }
    if section.offset != Self.aligned(end) {
      problems.add(
        "section table, byte \(entry + 8)",
        expected: "offset \(Self.aligned(end)), the next multiple of \(Self.alignment)",
        found: "\(section.offset)")
    }
  }

  private func checkZeros(
    _ bytes: UnsafeRawBufferPointer, from start: UInt64, to end: UInt64, _ problems: inout ProblemList
  ) {
    guard let offset = bytes[Int(start)..<Int(end)].firstIndex(where: { $0 != 0 }) else { return }
    problems.add("byte \(offset)", expected: "0 between sections", found: "\(bytes[offset])")
  }
}
