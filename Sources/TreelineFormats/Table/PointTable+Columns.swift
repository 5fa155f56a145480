import Treeline

extension PointTable {
  /// The value that a point has in the first column of a name; nil where it has no such column. Names are told apart by
  /// their bytes.
  public func value(ofColumn name: String, point index: Int) -> AttributeValue? {
    columns(ofPoint: index).first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// Puts names of columns into the order of the input: one in which every point has those that it has.
  ///
  /// The columns of CSV have one order. GeoJSON features may each lack some, and only all of them together tell it: of
  /// `{"a": 1, "c": 2}` and `{"b": 3, "c": 4}` it may be `a`, `b`, `c`. What they leave open is as in `names`. Where
  /// they contradict each other, so that no order suits all, everything is as in `names`.
  ///
  /// - Parameter names: different from each other.
  /// - Returns: Those of `names` that some point has.
  /// - Complexity: O(bytes of the columns + the square of the number of names)
  public func inputOrder(ofColumns names: [String]) -> [String] {
    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { (Array($1.utf8), $0) })
    // By column: whether there is one, and which columns follow it, next among `names`, in some point.
    var isFound = [Bool](repeating: false, count: names.count)
    var following = [Set<Int>](repeating: [], count: names.count)
    for point in coordinates.indices.prefix(layout.isSameForAll ? 1 : .max) {
      // Of columns of one name the first counts.
      var met: Set<Int> = []
      var previous: Int?
      for column in columns(ofPoint: point) {
        guard let number = numbers[Array(column.name.utf8)], met.insert(number).inserted else { continue }
        isFound[number] = true
        if let previous { following[previous].insert(number) }
        previous = number
      }
    }
    let found = names.indices.filter { isFound[$0] }
    return (sorted(found, before: following) ?? found).map { names[$0] }
  }

  /// Numbers with each before those that follow it, the first of several possible; nil where they go round in a circle.
  private func sorted(_ numbers: [Int], before following: [Set<Int>]) -> [Int]? {
    var precedingCounts = [Int](repeating: 0, count: following.count)
    for number in following.joined() { precedingCounts[number] += 1 }
    var rest = numbers
    var sorted: [Int] = []
    while let place = rest.firstIndex(where: { precedingCounts[$0] == 0 }) {
      let number = rest.remove(at: place)
      sorted.append(number)
      for next in following[number] { precedingCounts[next] -= 1 }
    }
    return rest.isEmpty ? sorted : nil
  }
}

extension RecordLayout {
  /// Whether every point has the same columns.
  fileprivate var isSameForAll: Bool {
    if case .properties = self { false } else { true }
  }
}
