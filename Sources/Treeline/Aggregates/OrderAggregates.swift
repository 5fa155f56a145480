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

  init(isGreatest: Bool, tree: ClusterTree, rows: CountedRows, column: Column) throws(CancellationError) {
    (self.isGreatest, self.rows, self.column) = (isGreatest, rows, column)
    let keys = OrderedKeys(of: column)
    self.keys = keys
    extremes = try tree.prepared([column.name]) { () throws(CancellationError) in try Extremes(of: keys, rows) }
  }

  func value(of range: Range<Int>) -> AggregateValue {
    let pair = extremes.pair(of: range, of: keys, rows)
    if pair.least > pair.greatest { return .none }
    return .value(column.value(ofKey: isGreatest ? pair.greatest : pair.least))
  }
}

extension Aggregate {
  /// The place, counted from 1, of the least of some sorted values that a percentage of them are at or below.
  ///
  /// A percentage is the shortest decimal of its double, and the rank exact: 7 % of 100 values are 7 of them, though
  /// the nearest double to 0.07 is a bit more.
  ///
  /// - Parameters:
  ///   - percent: From 0 to 100.
  ///   - count: 1 or more, below 2^40.
  package static func rank(ofPercent percent: Double, among count: Int) -> Int {
    guard let decimal = DecimalNumber(percent), decimal.significand > 0 else { return 1 }
    // Of 17 digits at most.
    let product = decimal.significand * Int128(count)
    let decimals = 2 - decimal.exponent
    // A product below 10^30 is less than one value; 100 % have no decimals.
    if decimals > 30 { return 1 }
    let unit = (0..<Swift.max(decimals, 0)).reduce(Int128(1)) { unit, _ in unit * 10 }
    let (rank, rest) = product.quotientAndRemainder(dividingBy: unit)
    return Swift.min(Int(rank) + (rest > 0 ? 1 : 0), count)
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

  func value(of range: Range<Int>) throws(CancellationError) -> AggregateValue {
    if let ranks {
      return try value(count: ranks.presentCount(in: range)) { place throws(CancellationError) in
        ranks.firstIndex(ofRank: ranks.matrix.integer(at: place, ofSorted: range)).map { keys[$0] }
      }
    }
    var found = try keys.present(in: range, rows)
    var last = 0
    return try value(count: found.count) { place throws(CancellationError) in
      defer { last = place }
      return try found.selected(place, from: last)
    }
  }

  /// - Parameters:
  ///   - count: How many values there are.
  ///   - key: Of the value at a place if they were sorted; places are asked for in their order.
  private func value(count: Int, _ key: (Int) throws(CancellationError) -> UInt64?) throws(CancellationError)
    -> AggregateValue
  {
    func found(_ place: Int) throws(CancellationError) -> UInt64? {
      // A damaged section may lead to a missing value.
      let key = try key(place)
      return key == OrderedKeys.missing ? nil : key
    }
    if count == 0 { return .none }
    if case .percentile(let percent) = function {
      return try found(Aggregate.rank(ofPercent: percent, among: count) - 1).map { .value(column.value(ofKey: $0)) }
        ?? .none
    }
    guard let lower = try found((count - 1) / 2) else { return .none }
    guard column.kind == .number, count % 2 == 0 else { return .value(column.value(ofKey: lower)) }
    guard let upper = try found(count / 2) else { return .none }
    switch column.values {
    case .integers(let integers):
      let sum = Int128(lower) + Int128(upper) + 2 * Int128(integers.base)
      // Half of it has one decimal more.
      return .decimal(5 * sum, digits: integers.digits + 1)
    default:
      return .number(Self.mean(OrderedKeys.real(of: lower), OrderedKeys.real(of: upper)))
    }
  }
}

extension OrderStatistic {
  /// The mean of two finite numbers, rounded once.
  private static func mean(_ a: Double, _ b: Double) -> Double {
    let sum = a + b
    // A finite sum of normal size is halved exactly, and one that is not normal is exact. Two halves are rounded only
    // where they are too small for a sum beyond all numbers.
    return sum.isFinite ? sum / 2 : a / 2 + b / 2
  }
}

extension OrderedKeys {
  /// The keys of the rows of a range that count and have a value, in their order.
  func present(in range: Range<Int>, _ rows: CountedRows) throws(CancellationError) -> [UInt64] {
    var found: [UInt64] = []
    found.reserveCapacity(range.count)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Cancellation.rowsPerLook) {
      try Cancellation.check()
      rows.forEach(in: start..<min(start + Cancellation.rowsPerLook, range.upperBound)) { row in
        let key = self[row]
        if key != OrderedKeys.missing { found.append(key) }
      }
    }
    return found
  }
}

extension [UInt64] {
  /// The element that would be at an index if they were sorted; it is there afterwards, what is less before it and what
  /// is greater behind it (C. A. R. Hoare, 1961).
  ///
  /// - Parameter first: Where to begin: what stands before is no greater than the rest.
  fileprivate mutating func selected(_ index: Int, from first: Int) throws(CancellationError) -> UInt64 {
    var (low, high) = (first, count - 1)
    while low < high {
      if high - low > Cancellation.rowsPerLook { try Cancellation.check() }
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
