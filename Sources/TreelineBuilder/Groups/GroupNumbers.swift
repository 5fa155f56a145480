import Treeline

/// Gives each group name a number. Numbers start at 0 and follow the order in which names are added.
struct GroupNumbers: Sendable {
  // The keys are the bytes of names. Names with different bytes are different, even if they are equal as
  // Swift strings.
  private var numbers: [[UInt8]: UInt32] = [:]
  private var last: (name: String, number: UInt32)?

  /// Number of names.
  var count: Int { numbers.count }

  mutating func number(of name: String) -> UInt32 {
    if let last, last.name.utf8.elementsEqual(name.utf8) { return last.number }
    let bytes = Array(name.utf8)
    let number = numbers[bytes] ?? UInt32(numbers.count)
    numbers[bytes] = number
    last = (name, number)
    return number
  }

  /// The names, sorted by their bytes in UTF-8. For each number, `places` contains the index of the number's name
  /// among the sorted names.
  var sorted: (names: [String], places: [UInt32]) {
    let sorted = numbers.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    var places = [UInt32](repeating: 0, count: sorted.count)
    for (place, entry) in sorted.enumerated() { places[Int(entry.value)] = UInt32(place) }
    return (sorted.map { String(decoding: $0.key, as: UTF8.self) }, places)
  }
}
