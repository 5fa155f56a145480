@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// Calls all queries of an index whose bytes may be damaged in any way.
///
/// Each query must end in an answer or in a typed error. Anything else ends the process, which a fuzzer or a test of
/// damaged files then reports.
struct IndexExercise {
  private(set) var answers = 0
  private(set) var errors: [IndexError] = []

  /// - Parameters:
  ///   - queries: Number of boxes to query.
  ///   - first: Number of the first box. The number of a box determines its size, its position and its limit.
  init(_ index: IndexBytes, queries: Int, from first: Int = 0) {
    let tree: ClusterTree
    do throws(IndexError) { tree = try index.open() } catch {
      errors = [error]
      return
    }
    for query in first..<first + queries { ask { try Self.clusters(of: tree, query) } }
    ask { _ = try tree.shape() }
    ask { try Self.navigate(tree) }
    for column in tree.columns { ask { try Self.aggregate(column.name, of: tree) } }
    for column in tree.searchableColumns { ask { _ = try tree.search("i", in: column, limit: 50) } }
    _ = tree.contentHash
    _ = tree.columns.map(\.name)
    ask { _ = try index.problems() }
  }

  private mutating func ask(_ question: () throws -> Void) {
    do {
      try question()
      answers += 1
    } catch let error as IndexError { errors.append(error) } catch is QueryError { answers += 1 } catch is FilterError {
      answers += 1
    } catch is AggregateError { answers += 1 } catch {
      fatalError("Expected an answer or a typed error, found \(error)")
    }
  }

  /// Queries boxes of all sizes around points of the tree. Depending on the limit, the search stops early, late or
  /// never.
  private static func clusters(of tree: ClusterTree, _ query: Int) throws {
    guard tree.pointCount > 0 else { return }
    let point = tree.position(atTreeIndex: query &* 7919 % tree.pointCount)
    let reach: UInt32 = .max >> UInt32(query % 33)
    let window = PlaneWindow(
      x: point.x &- reach / 2, width: reach, minY: point.y > reach / 2 ? point.y - reach / 2 : 0,
      maxY: point.y < .max - reach / 2 ? point.y + reach / 2 : .max)
    let limit = [1, 2, 7, 50, .max][query % 5]
    let answer = try tree.clusters(.limit(limit), in: window)
    for cluster in answer { try look(at: cluster, of: tree) }
    // The number `query` also chooses one of the other kinds of cut, for the same window.
    let (zoom, pixels) = (Double(query % 27), Double(query % 50))
    let alone = UnclusteredPoints(leastMembers: query % 7 + 1, fromZoom: query % 2 == 0 ? 20 : .infinity)
    let cuts =
      ExpansionOrder.allCases.dropFirst().map { Cut.limit(limit, order: $0) }
      + PixelCriterion.allCases.map { Cut($0, pixels: pixels).atMost(limit).unclustered(alone) }.filter(tree.supports)
    let other = try tree.clusters(cuts[query % cuts.count], in: window, zoom: zoom)
    for cluster in other { try look(at: cluster, of: tree) }
    let continued = try tree.clusters(.limit(limit, continuity: .continuing), in: window, after: other)
    for cluster in continued { try look(at: cluster, of: tree) }
    if let cluster = other.element(by: query) {
      let shown = try tree.shownPosition(of: cluster, at: .member, keptVisibleInWindow: window)
      guard shown.treeIndex.map(cluster.range.contains) == true else {
        fatalError("A member of another cluster: \(shown) of \(cluster)")
      }
    }
    let transition = ClusterTransition(from: answer, to: other)
    let parts = transition.splits.reduce(0) { $0 + $1.parts.count } + transition.merges.count
    guard transition.kept.count + parts + transition.entered.count == other.count else {
      fatalError("A transition of \(answer.count) to \(other.count) clusters has not all of them")
    }
  }

  private static func look(at cluster: Cluster, of tree: ClusterTree) throws {
    let mean = cluster.coordinate
    guard mean.longitude.isFinite, mean.latitude.isFinite else {
      fatalError("A mean that is no coordinate: \(cluster)")
    }
    var bytes = OutputBytes()
    let feature = ClusterFeature(cluster, of: tree, with: [.ellipses, .treeRanges])
    FeatureCollectionWriter(plane: tree.plane).append(feature, to: &bytes)
    guard let row = tree.members(of: cluster).last else { fatalError("A cluster of no points: \(cluster)") }
    _ = row
    if cluster.pointCount == 1 { _ = tree.attributes(atTreeIndex: cluster.range.lowerBound) }
  }

  /// Computes aggregates that work for columns of any kind, over all points and over the points that pass a filter.
  private static func aggregate(_ name: String, of tree: ClusterTree) throws {
    let aggregates: [Aggregate] = [
      .count(name), .median(name), .percentile(80, of: name), .distinct(name), .top(2, of: name), .min(name),
      .max(name),
    ]
    for tree in [tree, try tree.filtered(by: !.whereMissing(name))] {
      for values in try tree.clusters(.limit(7), in: .everything).values(of: aggregates) {
        guard values.count == aggregates.count else { fatalError("Not all aggregates are there: \(values)") }
      }
    }
    for aggregate in [.sum(name), .mean(name), .variance(name)] as [Aggregate] {
      _ = try? tree.clusters(.limit(7), in: .everything).values(of: [aggregate])
    }
  }

  private static func navigate(_ tree: ClusterTree) throws {
    guard let root = tree.root else { return }
    _ = try tree.children(of: root.id)
    for index in Set([0, tree.pointCount / 2, tree.pointCount - 1]) {
      let way = try tree.clusters(containingTreeIndex: index)
      let last = way.last!
      _ = try tree.cluster(last.id)
      _ = try tree.parent(of: last.id)
      _ = try tree.ancestors(of: last.id)
      _ = (tree.position(atTreeIndex: index), tree.row(atTreeIndex: index), tree.attributes(atTreeIndex: index))
      let coordinate = tree.plane.coordinate(at: tree.position(atTreeIndex: index))
      _ = try (
        tree.treeIndex(ofRow: tree.row(atTreeIndex: index), at: coordinate),
        tree.treeIndex(ofRow: tree.row(atTreeIndex: index))
      )
      for cut in PixelCriterion.allCases.map({ Cut($0, pixels: 9) }).filter(tree.supports) {
        _ = try (tree.separationZoom(of: root.id, for: cut), tree.unclusteredZoom(ofTreeIndex: index, for: cut))
      }
    }
  }
}

extension Clusters { fileprivate func element(by number: Int) -> Cluster? { isEmpty ? nil : self[number % count] } }
