/// Finds an order of columns that agrees with every record of an input, which may be read in batches. Records may lack
/// columns. See `PointTable.inputOrder`.
package struct ColumnOrder {
  private let asked: [String]
  private let numbers: [String: Int]
  /// Spelling of each requested column in the first record that has the column.
  private var spellings: [String?]
  /// For each requested column, the requested columns that directly follow it in at least one record. Columns that
  /// were not requested are ignored.
  private var following: [Set<Int>]

  /// - Parameter names: Names of the requested columns. If several names are equal, only the first is used.
  package init(of names: [String]) {
    asked = names
    numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    spellings = Array(repeating: nil, count: names.count)
    following = Array(repeating: [], count: names.count)
  }

  /// Adds the columns of a record. If several columns have equal names, only the first is used.
  mutating func add(_ columns: [String]) {
    var met: Set<Int> = []
    var previous: Int?
    for column in columns {
      guard let number = numbers[column], met.insert(number).inserted else { continue }
      if spellings[number] == nil { spellings[number] = column }
      if let previous { following[previous].insert(number) }
      previous = number
    }
  }

  /// Names of the columns that occur in some record, in an order that agrees with the records. If the records do not
  /// decide the order of some columns, these columns keep the requested order. If records contradict each other, all
  /// columns keep the requested order.
  package var names: [String] {
    let found = asked.indices.filter { spellings[$0] != nil }
    var precedingCounts = [Int](repeating: 0, count: asked.count)
    for number in following.joined() { precedingCounts[number] += 1 }
    var rest = found
    var sorted: [Int] = []
    while let index = rest.firstIndex(where: { precedingCounts[$0] == 0 }) {
      let number = rest.remove(at: index)
      sorted.append(number)
      for next in following[number] { precedingCounts[next] -= 1 }
    }
    return (rest.isEmpty ? sorted : found).map { spellings[$0]! }
  }
}
