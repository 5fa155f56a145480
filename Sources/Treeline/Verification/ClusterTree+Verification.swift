extension ClusterTree {
  /// Checks every byte of an index: header, checksums, the space between sections, every invariant of the hierarchy and
  /// every fact of the header against the points, what separations promise of every spacing, and every attribute.
  ///
  /// - Parameter progress: Told how far it is, some hundred times a stage.
  /// - Returns: What is wrong and where, 100 problems at most; nothing where all is as it was written.
  /// - Throws: `IndexError` where the file is no index or cannot be opened as one.
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
  public static func problems(
    ofIndex path: String, progress: ((VerificationProgress) -> Void)? = nil
  ) throws(IndexError) -> [IndexProblem] {
    let file = try MappedFile(path: path)
    return try file.withBytes { bytes throws(IndexError) in
      try problems(in: bytes, name: path, keeping: file, progress)
    }
  }

  package static func problems(
    in bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable,
    _ progress: ((VerificationProgress) -> Void)? = nil
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
    tree.check(principalLevels: TreeStorage.principalLevels, &problems, progress)
    tree.storage.attributes.check(isOfKnownVersion: header.isOfKnownVersion, &problems)
    return problems.problems
  }

  /// Checks every invariant of the hierarchy against the points, and what its separations, if any, promise.
  ///
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
  public func problems() -> [IndexProblem] {
    problems(principalLevels: TreeStorage.principalLevels)
  }

  /// - Parameter principalLevels: as the tree was built.
  package func problems(principalLevels: Int) -> [IndexProblem] {
    var problems = ProblemList()
    check(principalLevels: principalLevels, &problems)
    return problems.problems
  }

  /// Separations are distances between nodes, so there is nothing to hold them against in a hierarchy that is damaged.
  private func check(
    principalLevels: Int, _ problems: inout ProblemList, _ progress: VerificationMonitor.Report? = nil
  ) {
    defer { withExtendedLifetime(storage) {} }
    let known = problems.problems.count
    var hierarchy = TreeVerifier(self, problems, principalLevels: principalLevels, progress)
    hierarchy.verify()
    problems = hierarchy.problems
    guard let codes = storage.separations, problems.problems.count == known, !problems.isFull else { return }
    var separations = SeparationVerifier(self, codes, problems, progress)
    separations.verify()
    problems = separations.problems
  }
}
