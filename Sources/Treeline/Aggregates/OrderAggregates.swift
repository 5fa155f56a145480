extension Column {
  /// The value that a key stands for.
  func value(ofKey key: UInt64) -> AttributeValue {
    switch values {
    case .integers(let integers):
      value(ofInteger: integers.base &+ Int64(truncatingIfNeeded: key), of: integers)
    case .reals: .number(AttributeColumn.text(of: OrderedKeys.real(of: key)))
    case .entries(let entries): entries.dictionary.value(ofEntry: Int(key)) ?? .null
    }
  }
}

/// The least or the greatest value.
struct ExtremeValue: AggregateEvaluator {
  let isGreatest: Bool
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  let extremes: Extremes

  init(isGreatest: Bool, tree: ClusterTree, rows: CountedRows, column: Column) {
    (self.isGreatest, self.rows, self.column) = (isGreatest, rows, column)
    let keys = OrderedKeys(of: column)
    self.keys = keys
    extremes = tree.prepared([column.name]) { Extremes(of: keys, rows) }
  }

  func value(of range: Range<Int>) -> AggregateValue {
    let pair = extremes.pair(of: range, of: keys, rows)
    if pair.least > pair.greatest { return .none }
    return .value(column.value(ofKey: isGreatest ? pair.greatest : pair.least))
  }
}

/// A median or a percentile.
struct OrderStatistic: AggregateEvaluator {
  let function: Aggregate.Function
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  /// nil where rows are read.
  let ranks: ColumnMatrix?

  init(function: Aggregate.Function, rows: CountedRows, column: Column) {
    (self.function, self.rows, self.column, keys) = (function, rows, column, OrderedKeys(of: column))
    ranks = rows.areAll ? column.ranks : nil
  }

  var readsRows: Bool { ranks == nil }

  func value(of range: Range<Int>) -> AggregateValue {
    if let ranks {
      return value(count: ranks.presentCount(in: range)) { place in
        ranks.firstIndex(ofRank: ranks.matrix.integer(at: place, ofSorted: range)).map { keys[$0] }
      }
    }
    var found: [UInt64] = []
    found.reserveCapacity(range.count)
    rows.forEach(in: range) { row in
      let key = keys[row]
      if key != OrderedKeys.missing { found.append(key) }
    }
    var last = 0
    return value(count: found.count) { place in
      defer { last = place }
      return found.selected(place, from: last)
    }
  }

  /// - Parameters:
  ///   - count: How many values there are.
  ///   - key: Of the value at a place if they were sorted; places are asked for in their order.
  private func value(count: Int, _ key: (Int) -> UInt64?) -> AggregateValue {
    func found(_ place: Int) -> UInt64? {
      // A damaged section may lead to a missing value.
      let key = key(place)
      return key == OrderedKeys.missing ? nil : key
    }
    if count == 0 { return .none }
    if case .percentile(let percent) = function {
      let rank = Int((percent / 100 * Double(count)).rounded(.up))
      return found(max(rank, 1) - 1).map { .value(column.value(ofKey: $0)) } ?? .none
    }
    guard let lower = found((count - 1) / 2) else { return .none }
    guard column.kind == .number, count % 2 == 0 else { return .value(column.value(ofKey: lower)) }
    guard let upper = found(count / 2) else { return .none }
    switch column.values {
    case .integers(let integers):
      let sum = Int128(lower) + Int128(upper) + 2 * Int128(integers.base)
      // Half of it has one decimal more.
      return .decimal(5 * sum, digits: integers.digits + 1)
    default:
      let (a, b) = (OrderedKeys.real(of: lower), OrderedKeys.real(of: upper))
      return .number(a / 2 + b / 2)
    }
  }
}

extension [UInt64] {
  /// The element that would be at an index if they were sorted; it is there afterwards, what is less before it and what
  /// is greater behind it (C. A. R. Hoare, 1961).
  ///
  /// - Parameter first: Where to begin: what stands before is no greater than the rest.
  fileprivate mutating func selected(_ index: Int, from first: Int) -> UInt64 {
    var (low, high) = (first, count - 1)
    while low < high {
      // Of three, so that sorted ones are no bad case; a bad case is slow but right.
      let candidates = [self[low], self[(low + high) / 2], self[high]].sorted()
      let pivot = candidates[1]
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while self[right] > pivot { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if index <= right { high = right } else if index >= left { low = left } else { break }
    }
    return self[index]
  }
}
