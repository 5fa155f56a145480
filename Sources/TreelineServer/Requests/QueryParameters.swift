import Foundation

/// The query of a request, read parameter by parameter. What is wrong is collected, so that a client is told of all of
/// it at once; what nobody asks for is wrong too, being a misspelling as a rule.
struct QueryParameters {
  private var pairs: [(name: String, value: String, isTaken: Bool)] = []
  private(set) var faults: [ParameterFault] = []

  init(_ query: Substring?) {
    guard let query, !query.isEmpty else { return }
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      pairs.append(
        (Self.decoded(Substring(pair[..<end])), Self.decoded(Substring(pair[end...].dropFirst())), false))
    }
  }

  /// The value of a parameter; nil where it is not there.
  mutating func text(_ name: String) -> String? {
    var value: String?
    for index in pairs.indices where pairs[index].name == name {
      pairs[index].isTaken = true
      if let value { refuse(name, expected: "one value", found: "\(value), \(pairs[index].value)") }
      value = pairs[index].value
    }
    return value
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>, expected: String) -> Double? {
    guard let text = text(name) else { return nil }
    if let number = Self.number(text), range ~= number { return number }
    refuse(name, expected: expected, found: text)
    return nil
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = text(name) else { return nil }
    if let number = Int(text), range ~= number { return number }
    refuse(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", found: text)
    return nil
  }

  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, of _: Choice.Type)
    -> Choice?
  {
    guard let text = text(name) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    refuse(name, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "), found: text)
    return nil
  }

  mutating func flag(_ name: String) -> Bool {
    switch text(name) {
    case nil, "false": return false
    case "true": return true
    case let text?:
      refuse(name, expected: "true or false", found: text)
      return false
    }
  }

  /// So many numbers with commas between.
  mutating func numbers(_ name: String, count: Int, expected: String) -> [Double]? {
    guard let text = text(name) else { return nil }
    let numbers = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { Self.number(String(Substring($0))) }
    if numbers.count == count, !numbers.contains(nil) { return numbers.map { $0! } }
    refuse(name, expected: expected, found: text)
    return nil
  }

  /// Notes what is wrong with a parameter.
  mutating func refuse(_ name: String, expected: String, found: String?) {
    // A request is no longer than a few kilobytes, but what it is told need not be as long.
    let found = found.map { $0.count > 100 ? $0.prefix(100) + "…" : $0 }
    faults.append(ParameterFault(name: name, expected: expected, found: found))
  }

  /// Notes those that are there of parameters that go with something else.
  mutating func refuse(_ names: [String], expected: String) {
    for name in names {
      guard let value = text(name) else { continue }
      refuse(name, expected: expected, found: value)
    }
  }

  /// Whether a parameter is there, whatever its value.
  func has(_ name: String) -> Bool { value(name) != nil }

  /// What a parameter says, taken or not.
  func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// - Throws: `Problem` where anything was wrong.
  mutating func finish() throws(Problem) {
    for pair in pairs where !pair.isTaken && faults.count < 16 {
      refuse(pair.name, expected: "no such parameter", found: pair.value)
    }
    if !faults.isEmpty { throw .invalid(faults) }
  }

  /// Finite, and without the spellings that only Swift knows.
  private static func number(_ text: String) -> Double? {
    guard
      text.utf8.allSatisfy({ $0 < UInt8(ascii: ":") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// - Parameter plusIsSpace: Whether a plus sign is a space, as in forms.
  static func decoded(_ text: Substring, plusIsSpace: Bool = true) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    let text = plusIsSpace ? text.replacing("+", with: " ") : text
    return text.removingPercentEncoding ?? String(text)
  }
}
