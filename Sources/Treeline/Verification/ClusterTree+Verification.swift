extension ClusterTree {
  /// Checks every byte of an index: header, checksums, the space between sections, every invariant of the hierarchy and
  /// every fact of the header against the points, and every attribute.
  ///
  /// - Returns: What is wrong and where, 100 problems at most; nothing where all is as it was written.
  /// - Throws: `IndexError` where the file is no index or cannot be opened as one.
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
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
    header.checkSections(of: bytes, &problems)
    if tree.contentHash != header.contentHash {
      problems.add(
        "content hash", expected: String(header.contentHash, radix: 16),
        found: String(tree.contentHash, radix: 16))
    }
    header.check(UnsafeBufferPointer(start: tree.storage.points, count: tree.pointCount), &problems)
    var verifier = TreeVerifier(tree, problems)
    verifier.verify()
    problems = verifier.problems
    tree.storage.attributes.check(isOfKnownVersion: header.isOfKnownVersion, &problems)
    return problems.problems
  }

  /// Checks every invariant of the hierarchy against the points.
  ///
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
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
