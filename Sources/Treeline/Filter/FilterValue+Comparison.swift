/// The values of a list, prepared for fast searches. A search returns whether the list contains a value.
struct EqualValues {
  /// Texts, sorted by their bytes.
  private let texts: [String]
  private let numbers: Set<Double>
  private let booleans: Set<Bool>

  init(_ values: [FilterValue]) {
    var (texts, numbers, booleans) = ([String](), Set<Double>(), Set<Bool>())
    for value in values {
      switch value.content {
      case .text(let text): texts.append(text)
      case .number(let number): numbers.insert(number.double)
      case .boolean(let flag): booleans.insert(flag)
      case .instant, .date, .unusable: break
      }
    }
    self.texts = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    (self.numbers, self.booleans) = (numbers, booleans)
  }

  /// - Complexity: O(log values)
  func contain(_ value: AttributeValue?) -> Bool {
    switch value {
    case .string(let text):
      let index = firstIndex(in: texts.indices) { !texts[$0].utf8.lexicographicallyPrecedes(text.utf8) }
      return index < texts.count && texts[index].utf8.elementsEqual(text.utf8)
    case .number(let literal): return FilterValue.Content.double(ofLiteral: literal).map(numbers.contains) ?? false
    case .bool(let flag): return booleans.contains(flag)
    case .json, .null, nil: return false
    }
  }
}

extension FilterValue.Content {
  var isText: Bool { if case .text = self { true } else { false } }

  /// Returns whether a column of the given kind can contain a value that equals this value. The kind must be text or
  /// category.
  func compares(with kind: Column.Kind) -> Bool {
    switch self {
    case .text: true
    case .unusable: false
    case .number, .boolean, .instant, .date: kind == .text
    }
  }

  /// The moments that the value stands for, if the value is a time, a date, or the text of a time or a date; nil for
  /// any other value.
  var interval: TimeInterval? {
    switch self {
    case .instant(let instant): TimeInterval(instant, instant)
    case .date(let start): TimeInterval(ofDay: start)
    case .text(let text):
      Instant(text).map { text.utf8.count == 10 ? TimeInterval(ofDay: $0) : TimeInterval($0, $0) }
    default: nil
    }
  }

  /// The value, as error messages show it.
  var phrase: String {
    switch self {
    case .text(let text): "the text \(text.debugDescription)"
    case .number(let number): "the number \(number)"
    case .boolean(let flag): flag ? "TRUE" : "FALSE"
    case .instant(let instant): "the time \(instant)"
    case .date(let start): "the date \(start.dateText)"
    case .unusable(let phrase): phrase
    }
  }

  /// Returns the double that represents a JSON number in comparisons, even if the number has too many digits for an
  /// exact decimal.
  static func double(ofLiteral literal: String) -> Double? {
    Double(literal).map { DecimalNumber(literal)?.double ?? $0 }
  }

  /// Returns -1 if an attribute's value is before this value, 0 if both values are equal, and 1 if the attribute's
  /// value is after this value. Returns nil if the two values cannot be compared.
  func order(of value: AttributeValue?) -> Int? {
    func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : b < a ? 1 : 0 }
    switch (self, value) {
    case (.text(let text), .string(let value)):
      let (a, b) = (value.utf8, text.utf8)
      return a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    case (.number(let number), .number(let literal)):
      return Self.double(ofLiteral: literal).map { order($0, number.double) }
    case (.boolean(let flag), .bool(let value)): return order(value ? 1 : 0, flag ? 1 : 0)
    default: return nil
    }
  }
}

extension Filter.Comparison {
  /// - Parameter order: -1 if the value of a point is less than the value in the filter, 0 if both values are equal, 1
  ///   if the value of the point is greater.
  func accepts(_ order: Int) -> Bool {
    switch self {
    case .equals: order == 0
    case .isNot: order != 0
    case .isLess: order < 0
    case .isAtMost: order <= 0
    case .isGreater: order > 0
    case .isAtLeast: order >= 0
    }
  }
}
