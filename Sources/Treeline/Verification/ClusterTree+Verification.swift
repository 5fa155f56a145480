extension ClusterTree {
  /// Checks every byte of an index: header, checksums, the space between sections, and every invariant of the hierarchy
  /// against the points.
  ///
  /// - Returns: What is wrong and where, 100 problems at most; nothing where all is as it was written.
  /// - Throws: `IndexError` where the file is no index or cannot be opened as one.
  /// - Complexity: O(pointCount x depth)
  public static func problems(ofIndex path: String) throws(IndexError) -> [IndexProblem] {
    let file = try MappedFile(path: path)
    return try file.withBytes { bytes throws(IndexError) in try problems(in: bytes, name: path, keeping: file)
    }
  }

  package static func problems(
    in bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable
  ) throws(IndexError) -> [IndexProblem] {
    let header = try IndexHeader(bytes, name: name)
    let tree = try ClusterTree(bytes: bytes, name: name, keeping: owner)
    defer { withExtendedLifetime(tree) {} }
    var problems = ProblemList()
    header.check(bytes, &problems)
    if tree.contentHash != header.contentHash {
      problems.add(
        "content hash", expected: String(header.contentHash, radix: 16),
        found: String(tree.contentHash, radix: 16))
    }
    var verifier = TreeVerifier(tree, problems)
    verifier.verify()
    problems = verifier.problems
    for column in tree.storage.attributes { column.check(&problems) }
    return problems.problems
  }

  /// Checks every invariant of the hierarchy against the points.
  ///
  /// - Complexity: O(pointCount x depth)
  public func problems() -> [IndexProblem] {
    problems(principalLevels: TreeStorage.principalLevels)
  }

  /// - Parameter principalLevels: as the tree was built.
  package func problems(principalLevels: Int) -> [IndexProblem] {
    defer { withExtendedLifetime(storage) {} }
    var verifier = TreeVerifier(self, ProblemList(), principalLevels: principalLevels)
    verifier.verify()
    return verifier.problems.problems
  }
}

extension IndexHeader {
  /// Checks the sections' checksums, and that nothing lies between them but zeros.
  fileprivate func check(_ bytes: UnsafeRawBufferPointer, _ problems: inout ProblemList) {
    var end = UInt64(length)
    for section in sections {
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

  private func checkZeros(
    _ bytes: UnsafeRawBufferPointer, from start: UInt64, to end: UInt64, _ problems: inout ProblemList
  ) {
    guard let offset = bytes[Int(start)..<Int(end)].firstIndex(where: { $0 != 0 }) else { return }
    problems.add("byte \(offset)", expected: "0 between sections", found: "\(bytes[offset])")
  }
}
