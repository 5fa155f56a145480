import Treeline

extension ClusterTree {
  /// Checks every byte of an index: the header, the checksums, the padding, the hierarchy, the header's facts about the
  /// points, the separations for every spacing, and the attributes.
  ///
  /// - Parameters:
  ///   - path: Path of the index; `-` for standard input, which must be redirected from a file.
  ///   - progress: Called about a hundred times in each stage.
  /// - Returns: At most 100 problems. The list is empty if the index has not changed since it was written.
  /// - Throws: `IndexError` if the file cannot be opened as an index.
  /// - Complexity: O(pointCount x depth), or O(pointCount x depth x log pointCount) for a tree that was built with the
  ///   split rule `least-scatter`. The work is done on all cores.
  public static func problems(ofIndex path: String, progress: ((VerificationProgress) -> Void)? = nil)
    throws -> [IndexProblem]
  {
    let file = try MappedFile(path: path)
    return try problems(in: file.bytes, name: file.name, keeping: file, progress) { file.giveBack() }
  }

  static func problems(
    in bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable,
    threads: Int = processorCount, _ progress: ((VerificationProgress) -> Void)? = nil,
    giveBack: @escaping @Sendable () -> Void = {}
  ) throws(IndexError) -> [IndexProblem] {
    let header = try IndexHeader(bytes, name: name)
    let tree = try ClusterTree(bytes: bytes, name: name, keeping: owner)
    let problems = ProblemList()
    let pages = PageUse(nodeCount: header.nodeCount, giveBack: giveBack)
    header.checkSections(of: bytes, problems, pages)
    tree.withStorage { storage in
      var hasher = XXHash64(ofContentOn: tree.plane)
      for (kind, bytes) in storage.fixedSections where IndexSection.Kind.hierarchy.contains(kind) {
        hasher.update(bytes, pages)
      }
      let contentHash = hasher.finalize()
      problems.check(
        contentHash == header.contentHash, "content hash", expected: String(header.contentHash, radix: 16),
        found: String(contentHash, radix: 16))
      header.check(
        PointBlocks(UnsafeBufferPointer(start: storage.points, count: storage.pointCount), pages), problems)
    }
    tree.check(principalLevels: TreeStorage.principalLevels, threads: threads, problems, pages, progress)
    tree.withStorage { storage in
      storage.columns.compactMap(\.attribute).check(isOfKnownVersion: header.isOfKnownVersion, problems, pages)
      storage.columns.checkTyped(problems, pages)
    }
    header.checkDescription(in: bytes, problems)
    header.checkGrowth(tree.badgeCurve, in: bytes, problems)
    return problems.problems
  }

  /// Checks the hierarchy against the points. If the index has separations, also checks the separations for every
  /// spacing.
  ///
  /// - Complexity: O(pointCount x depth), or O(pointCount x depth x log pointCount) for a tree that was built with the
  ///   split rule `least-scatter`. The work is done on all cores.
  public func problems() -> [IndexProblem] { problems(principalLevels: TreeStorage.principalLevels) }

  /// - Parameter principalLevels: The number of levels, counted from the root, at which the builder split nodes across
  ///   their principal axes. Below these levels, the builder halved the boxes of nodes.
  func problems(principalLevels: Int) -> [IndexProblem] {
    let problems = ProblemList()
    check(
      principalLevels: principalLevels, threads: processorCount, problems,
      PageUse(nodeCount: withStorage(\.nodeCount)))
    return problems.problems
  }

  /// Checks the hierarchy, and then the separations (the distances at which nodes are split). Separations depend on
  /// distances between nodes. So separations are checked only if the hierarchy is sound.
  private func check(
    principalLevels: Int, threads: Int, _ problems: ProblemList, _ pages: PageUse,
    _ progress: VerificationMonitor.Report? = nil
  ) {
    withStorage { storage in
      let known = problems.count
      var hierarchy = TreeVerifier(
        storage: storage, growth: growth, crossesSeam: plane.projection.isCyclic, principalLevels: principalLevels,
        problems: problems, pages: pages, threads: threads,
        monitor: VerificationMonitor(stage: .hierarchy, pointCount: storage.pointCount, report: progress))
      hierarchy.verify()
      guard problems.count == known, !problems.isFull else { return }
      let roots = storage.rootsOfTrees
      if let groups = storage.groups {
        problems.check(
          roots.map { $0.first..<$0.first + $0.count } == groups.parts, "groups",
          expected: "one node for each group, with exactly the points of the group", found: "other nodes")
        groups.check(problems)
      }
      guard let codes = storage.separations, problems.count == known else { return }
      var monitor = VerificationMonitor(stage: .separations, pointCount: storage.pointCount, report: progress)
      for root in roots where !problems.isFull {
        if growth.mergeMetric?.keepsApart == true {
          var scales = MergeScaleVerifier(storage, below: root, codes, plane.projection, problems, pages)
          scales.verify(&monitor)
        } else {
          var separations = SeparationVerifier(storage, below: root, codes, plane.projection, problems, pages)
          separations.verify(threads: threads, &monitor)
        }
      }
    }
  }
}

extension TreeStorage {
  /// The roots of all trees, in tree order. Without groups there is one tree. With groups, each group has its own root.
  /// The points that are never clustered have a root of their own.
  fileprivate var rootsOfTrees: [Node] {
    let parts = groups?.parts ?? []
    var (roots, waiting) = ([Node](), [root].compactMap { $0 })
    while let node = waiting.popLast() {
      let isAbove = parts.contains { $0.contains(node.first) && Int($0.upperBound) < node.range.upperBound }
      if isAbove, let (left, right) = (try? children(of: node)) ?? nil {
        waiting += [right, left]
      } else {
        roots.append(node)
      }
    }
    return roots
  }
}

extension TreeGroups {
  /// Checks that group names are in order, and that each name occurs once.
  fileprivate func check(_ problems: ProblemList) {
    for (name, next) in zip(names, names.dropFirst()) where !name.utf8.lexicographicallyPrecedes(next.utf8) {
      problems.add("groups", expected: "a name after \(name.debugDescription)", found: next.debugDescription)
    }
  }
}

/// A place in an index at which the content is wrong.
public struct IndexProblem: Hashable, Sendable {
  /// The location: a section, a byte, a node record or a point.
  public var location: String
  /// The expected content.
  public var expected: String
  /// The content that was found.
  public var found: String
}

extension IndexProblem: CustomStringConvertible {
  public var description: String { "\(location): expected \(expected), found \(found)" }
}

/// The problems found so far. The list keeps at most `capacity` problems, because more are not worth reading.
final class ProblemList {
  private(set) var problems: [IndexProblem] = []

  static let capacity = 100
  var count: Int { problems.count }
  var isFull: Bool { count >= Self.capacity }

  func add(_ location: @autoclosure () -> String, expected: @autoclosure () -> String, found: @autoclosure () -> String)
  { if !isFull { problems.append(IndexProblem(location: location(), expected: expected(), found: found())) } }

  func check(
    _ condition: Bool, _ location: @autoclosure () -> String, expected: @autoclosure () -> String,
    found: @autoclosure () -> String
  ) { if !condition { add(location(), expected: expected(), found: found()) } }
}

/// The progress of a verification.
public struct VerificationProgress: Hashable, Sendable {
  /// The stages of a verification, in their order.
  public enum Stage: String, Hashable, Sendable {
    /// Nodes are checked against their points.
    case hierarchy
    /// Separations are checked. A separation is the distance at which a node is split into its children.
    case separations
  }

  /// The current stage.
  public let stage: Stage

  /// The fraction of the stage that is done, from 0 to 1. The fraction never decreases.
  public let fraction: Double

  /// The number of points of the whole index.
  public let pointCount: Int
}

/// Reports the progress of a stage each time another percent is done.
struct VerificationMonitor {
  typealias Report = (VerificationProgress) -> Void

  let stage: VerificationProgress.Stage
  let pointCount: Int
  let report: Report?
  var toldPercent = -1

  /// - Parameter done: The number of points that are done. The index has at least one point.
  mutating func tell(_ done: Int) {
    guard let report, done * 100 / pointCount > toldPercent else { return }
    toldPercent = done * 100 / pointCount
    report(
      VerificationProgress(stage: stage, fraction: min(Double(done) / Double(pointCount), 1), pointCount: pointCount))
  }
}
