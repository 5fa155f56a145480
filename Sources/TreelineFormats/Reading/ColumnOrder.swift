/// An order of columns that suits every record, although each record may lack some columns.
struct ColumnOrder {
  private let asked: [String]
  private let numbers: [String: Int]
  /// The spelling of each column in the first record that has it.
  private var spellings: [String?]
  /// The requested columns that directly follow each column in some record.
  private var following: [Set<Int>]

  /// - Parameter names: Names of the requested columns; of equal names only the first is used.
  init(of names: [String]) {
    asked = names
    numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    spellings = Array(repeating: nil, count: names.count)
    following = Array(repeating: [], count: names.count)
  }

  /// Adds the columns of a record. Of columns with equal names, only the first is used.
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

  /// Names of the columns that any record has. A column comes before all columns that follow it in a record. Where the
  /// records leave the order open, columns keep the requested order. If the records contradict each other, all columns
  /// keep the requested order.
  var names: [String] {
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
