/// Finds an order of columns that suits every record, where each may lack some.
struct ColumnOrder {
  private let asked: [String]
  private let numbers: [String: Int]
  /// By column: how the first record that has it spells it.
  private var spellings: [String?]
  /// By column: which come next behind it, among those asked for, in some record.
  private var following: [Set<Int>]

  /// - Parameter names: Distinct; of two that are the same the second is passed over.
  init(of names: [String]) {
    asked = names
    numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    spellings = Array(repeating: nil, count: names.count)
    following = Array(repeating: [], count: names.count)
  }

  /// Adds the columns of a record; of those that share a name the first counts.
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

  /// Those that some record has, each before those that follow it, and otherwise as they were asked for; all as they
  /// were asked for where they go round in a circle.
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
