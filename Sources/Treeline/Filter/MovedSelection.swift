/// One of the conditions of a filter. A point passes the filter if the point meets all conditions.
struct FilterTerm: Sendable {
  let expression: Filter.Expression
  let plan: FilterPlan
}

extension Filter.Expression {
  /// The conditions of the expression. The expression holds if all of these conditions hold.
  var conjuncts: [Filter.Expression] { if case .all(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] } }

  /// Returns whether two expressions are equal byte by byte. Swift compares strings by canonical equivalence, so
  /// strings with different bytes may be equal. In a column, such strings are different values.
  func isSame(as other: Filter.Expression) -> Bool {
    self == other && "\(Filter(self))".utf8.elementsEqual("\(Filter(other))".utf8)
  }
}

/// The change from one filter to the next filter, if the filters differ only in their conditions on one column. The
/// points that enter and leave are found in the sorted order of this column.
struct MovedSelection {
  private let previous: Selection
  private let terms: [FilterTerm]
  private let order: ValueOrder
  private let entering: [Range<Int>]
  private let leaving: [Range<Int>]
  /// The conditions that both filters share.
  private let rest: [FilterPlan]

  /// If more than pointCount / `leastShare` points may enter or leave the selection, all points are tested in
  /// sequence, because this takes less time.
  private static let leastShare = 16

  /// Returns the selection of the points that pass all conditions, by changing the selection of the previous filter.
  /// Returns nil if the filters differ in conditions on more than one column, or if too many points enter or leave.
  static func selection(from previous: Selection, to terms: [FilterTerm], of tree: ClusterTree)
    throws(CancellationError) -> Selection?
  {
    if let known = previous.terms, known.elementsEqual(terms, by: { $0.expression.isSame(as: $1.expression) }) {
      return previous
    }
    return try MovedSelection(from: previous, to: terms, of: tree)?.made()
  }

  /// Returns nil unless the two filters differ in conditions on exactly one column, and this column has numbers or
  /// times. Also returns nil if too many points enter or leave, because testing all points then takes less time.
  private init?(from previous: Selection, to terms: [FilterTerm], of tree: ClusterTree) throws(CancellationError) {
    guard let previousTerms = previous.terms else { return nil }
    var (removed, added, rest) = (previousTerms, [FilterTerm](), [FilterPlan]())
    for term in terms {
      if let index = removed.firstIndex(where: { $0.expression.isSame(as: term.expression) }) {
        rest.append(removed.remove(at: index).plan)
      } else {
        added.append(term)
      }
    }
    let names = (removed + added).reduce(into: Set()) { $0.formUnion($1.expression.columnNames) }
    guard names.count == 1, let name = names.first, let column = tree.column(name) else { return nil }
    switch column.values {
    case .integers, .reals: break
    case .entries: return nil
    }
    let order = try tree.preparedOfAll([name]) { () throws(CancellationError) in try ValueOrder(of: column)! }
    guard let before = order.places(passing: removed), let after = order.places(passing: added) else { return nil }
    (entering, leaving) = (after.subtracting(before), before.subtracting(after))
    guard (entering + leaving).reduce(0, { $0 + $1.count }) <= tree.pointCount / Self.leastShare else { return nil }
    (self.previous, self.terms, self.order, self.rest) = (previous, terms, order, rest)
  }

  /// - Complexity: O(m + pointCount / 64) for m points in `entering` and `leaving`. These points are at random places
  ///   in memory.
  private func made() throws(CancellationError) -> Selection {
    let moved = try Selection(of: previous.storage, terms: terms) { words throws(CancellationError) in
      for index in words.indices { words[index] = previous.words.bits[index] }
      for (number, place) in leaving.joined().enumerated() {
        if number & (Cancellation.rowsPerLook - 1) == 0 { try Cancellation.check() }
        let treeIndex = order.treeIndex(atPlace: place)
        words[Int(treeIndex >> 6)] &= ~(1 &<< UInt64(treeIndex & 63))
      }
      try enter(into: words)
    }
    moved.prepareMeans(from: previous)
    return moved
  }

  /// Tests the points in `entering` against the conditions that both filters share, in blocks of 1024 points. Sets the
  /// bit of each point that passes.
  private func enter(into words: UnsafeMutableBufferPointer<UInt64>) throws(CancellationError) {
    let most = 1024
    let rest = FilterPlan.all(rest)
    let isDone = withUnsafeTemporaryAllocation(of: UInt32.self, capacity: most) { rows in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most * (rest.depth + 1)) { passes in
        for places in entering {
          for start in stride(from: places.lowerBound, to: places.upperBound, by: most) {
            if Cancellation.isCancelled { return false }
            let count = min(places.upperBound - start, most)
            for index in 0..<count { rows[index] = order.treeIndex(atPlace: start + index) }
            rest.test(UnsafeBufferPointer(rebasing: rows[..<count]), room: most, into: passes.baseAddress!)
            for index in 0..<count {
              let treeIndex = rows[index]
              words[Int(treeIndex >> 6)] |= UInt64(passes[index]) &<< UInt64(treeIndex & 63)
            }
          }
        }
        return true
      }
    }
    if !isDone { throw CancellationError() }
  }
}

extension ValueOrder {
  /// Returns the points that pass all conditions, as sorted ranges of indices in this order. Returns nil if a
  /// condition reads a column other than the column of this order.
  fileprivate func places(passing terms: [FilterTerm]) -> [Range<Int>]? {
    var all = [0..<count]
    for term in terms {
      guard let places = places(passing: term.plan) else { return nil }
      all = all.intersection(places)
    }
    return all
  }

  private func places(passing plan: FilterPlan) -> [Range<Int>]? {
    switch plan {
    case .nothing: return []
    case .test(let test): return places(passing: test)
    case .bits: return nil
    case .all(let plans):
      var all = [0..<count]
      for plan in plans {
        guard let places = places(passing: plan) else { return nil }
        all = all.intersection(places)
      }
      return all
    case .any(let plans):
      var others = [0..<count]
      for plan in plans {
        guard let places = places(passing: plan) else { return nil }
        others = others.subtracting(places)
      }
      return [0..<count].subtracting(others)
    }
  }
}

/// Operations on sorted ranges that do not overlap.
extension [Range<Int>] {
  fileprivate func intersection(_ others: [Range<Int>]) -> [Range<Int>] {
    flatMap { range in others.map { $0.clamped(to: range) }.filter { !$0.isEmpty } }
  }

  fileprivate func subtracting(_ others: [Range<Int>]) -> [Range<Int>] {
    flatMap { range in
      var (rest, start) = ([Range<Int>](), range.lowerBound)
      for other in others where other.overlaps(range) {
        if start < other.lowerBound { rest.append(start..<other.lowerBound) }
        start = other.upperBound
      }
      if start < range.upperBound { rest.append(start..<range.upperBound) }
      return rest
    }
  }
}
