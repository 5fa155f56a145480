import Treeline

extension ClusterTree {
  /// Checks every byte of an index: header, checksums, the space between sections, every invariant of the hierarchy,
  /// every fact of the header against the points, what separations promise of every spacing, and every attribute.
  ///
  /// - Parameter progress: Told how far it is, some hundred times a stage.
  /// - Returns: What is wrong and where, 100 problems at most; nothing where all is as it was written.
  /// - Throws: `IndexError` where the file is no index or cannot be opened as one.
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
  public static func problems(ofIndex path: String, progress: ((VerificationProgress) -> Void)? = nil)
    throws(IndexError) -> [IndexProblem]
  {
    let file = try MappedFile(path: path)
    return try file.withBytes { bytes throws(IndexError) in try problems(in: bytes, name: path, keeping: file, progress)
    }
  }

  package static func problems(
    in bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable,
    _ progress: ((VerificationProgress) -> Void)? = nil
  ) throws(IndexError) -> [IndexProblem] {
    let header = try IndexHeader(bytes, name: name)
    let tree = try ClusterTree(bytes: bytes, name: name, keeping: owner)
    let problems = ProblemList()
    header.checkSections(of: bytes, problems)
    problems.check(
      tree.contentHash == header.contentHash, "content hash", expected: String(header.contentHash, radix: 16),
      found: String(tree.contentHash, radix: 16))
    tree.withStorage { header.check(UnsafeBufferPointer(start: $0.points, count: $0.pointCount), problems) }
    tree.check(principalLevels: TreeStorage.principalLevels, problems, progress)
    tree.withStorage { $0.attributes.check(isOfKnownVersion: header.isOfKnownVersion, problems) }
    return problems.problems
  }

  /// Checks every invariant of the hierarchy against the points, and what its separations, if any, promise.
  ///
  /// - Complexity: O(pointCount x depth), times the logarithm of pointCount for trees split at the least scatter
  public func problems() -> [IndexProblem] { problems(principalLevels: TreeStorage.principalLevels) }

  /// - Parameter principalLevels: As the tree was built.
  package func problems(principalLevels: Int) -> [IndexProblem] {
    let problems = ProblemList()
    check(principalLevels: principalLevels, problems)
    return problems.problems
  }

  /// Separations are distances between nodes, so there is nothing to hold them against in a hierarchy that is damaged.
  private func check(principalLevels: Int, _ problems: ProblemList, _ progress: VerificationMonitor.Report? = nil) {
    withStorage { storage in
      let known = problems.count
      var hierarchy = TreeVerifier(storage, splitRule, principalLevels: principalLevels, problems, progress)
      hierarchy.verify()
      guard let codes = storage.separations, problems.count == known, !problems.isFull else { return }
      var separations = SeparationVerifier(storage, codes, plane.projection, problems, progress)
      separations.verify()
    }
  }
}
