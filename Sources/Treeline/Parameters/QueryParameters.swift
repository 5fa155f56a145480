/// The named parameters of a query, as a command line, a URL or a JSON object has them: `limit`, `zoom` and so on,
/// each with a value. The three are spellings of one description: `Cut.parameters` and `Viewport.parameters` write it,
/// and `Cut.init(_:)` and `Viewport.init(_:)` read it.
///
/// Everything that is wrong is collected, so that it can be reported at once. A parameter that nothing reads is wrong,
/// too: it is usually misspelt.
public struct QueryParameters: Sendable {
  /// What is wrong with a parameter.
  public struct Fault: Hashable, Sendable {
    /// Of the parameter.
    public let name: String
    /// What it should be.
    public let expected: String
    /// nil where it is missing.
    public let found: String?

    /// The same as a sentence, in which names of parameters stand in braces; nil for one made of the others.
    private let sentence: String?

    /// - Parameters:
    ///   - name: Of the parameter.
    ///   - expected: What it should be.
    ///   - found: What it is; nil where it is missing.
    ///   - sentence: In words, with names of parameters in braces, where the others do not make a good one.
    public init(_ name: String, expected: String, found: String?, sentence: String? = nil) {
      (self.name, self.expected, self.found, self.sentence) = (name, expected, found, sentence)
    }

    /// What is wrong as a sentence, with names spelled as they are asked for, such as `'--limit'`.
    public func message(spelling: (_ name: String) -> String) -> String {
      guard let sentence else { return "\(spelling(name)) must be \(expected), found \(found ?? "none")." }
      return Self.replacingNames(in: sentence, with: spelling)
    }

    fileprivate static func replacingNames(in sentence: String, with spelling: (_ name: String) -> String) -> String {
      var (text, rest) = ("", sentence[...])
      while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
        text += rest[..<start] + spelling(String(rest[rest.index(after: start)..<end]))
        rest = rest[rest.index(after: end)...]
      }
      return text + rest
    }
  }

  /// What range of values is accepted.
  public struct Bounds: Hashable, Sendable {
    /// Of limits.
    public var limits: ClosedRange<Int>
    /// Of zooms, as they are given.
    public var zooms: ClosedRange<Double>
    /// Of a screen, in pixels.
    public var sides: ClosedRange<Double>
    /// Of a cut by pixels.
    public var pixels: ClosedRange<Double>

    /// Limits of 1 or more, zooms from 0 to 32 and screens of up to 16,384 px, unless told otherwise.
    public init(
      limits: ClosedRange<Int> = 1 ... .max, zooms: ClosedRange<Double> = 0...32,
      sides: ClosedRange<Double> = 1...16_384, pixels: ClosedRange<Double> = 0 ... .greatestFiniteMagnitude
    ) { (self.limits, self.zooms, self.sides, self.pixels) = (limits, zooms, sides, pixels) }

    /// Whatever a query can be asked.
    static let none = Bounds(
      zooms: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude,
      sides: Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude)
  }

  /// What range of values is accepted.
  public var bounds: Bounds
  /// What is wrong so far.
  public private(set) var faults: [Fault] = []
  private var entries: [Entry]
  private let prefix: String

  private struct Entry {
    /// What it is read by.
    let key: String
    /// What it was given by.
    let name: String
    let value: String
    var isRead = false
    var isShared = false
  }

  /// Parameters with their values, in any order.
  public init(_ values: some Sequence<(name: String, value: String)>, bounds: Bounds = Bounds()) {
    self.init(values.map { Entry(key: $0, name: $0, value: $1) }, bounds: bounds, prefix: "")
  }

  private init(_ entries: [Entry], bounds: Bounds, prefix: String) {
    (self.entries, self.bounds, self.prefix) = (entries, bounds, prefix)
  }
}

// MARK: - Several queries

extension QueryParameters.Bounds {
  /// A zoom from which on something is shown; nil if nobody may ask for one so great.
  @_spi(Server) public func reached(_ zoom: Double?) -> Double? { zoom.flatMap { $0 <= zooms.upperBound ? $0 : nil } }
}

extension QueryParameters {
  /// Reads one of several queries from the parameters that have a prefix before their names, such as `from-zoom`, by
  /// the names without it.
  ///
  /// - Parameters:
  ///   - prefix: What stands before the names, such as `from-`.
  ///   - shared: Names without a prefix that count for this query too, in groups: where one of a group has the prefix,
  ///     it stands in place of the whole group.
  ///   - body: Reads the query.
  public mutating func read<Value>(
    prefix: String, sharing shared: [[String]] = [], _ body: (inout QueryParameters) throws -> Value
  ) rethrows -> Value {
    var own: [Entry] = []
    for index in entries.indices where entries[index].name.hasPrefix(prefix) {
      entries[index].isRead = true
      let entry = entries[index]
      own.append(Entry(key: String(entry.name.dropFirst(prefix.count)), name: entry.name, value: entry.value))
    }
    let given = Set(own.map(\.key))
    let names = Set(shared.lazy.filter(given.isDisjoint(with:)).joined())
    let others = entries.filter { names.contains($0.key) }.map {
      Entry(key: $0.key, name: $0.name, value: $0.value, isRead: true, isShared: true)
    }
    var parameters = QueryParameters(own + others, bounds: bounds, prefix: prefix)
    let value = try body(&parameters)
    parameters.refuseUnread()
    for fault in parameters.faults where !faults.contains(fault) { faults.append(fault) }
    return value
  }

  /// Adds a parameter that was not given.
  public mutating func setDefault(_ key: String, _ value: String) {
    if !has(key) { entries.append(Entry(key: key, name: prefix + key, value: value, isRead: true)) }
  }
}

// MARK: - Reading

extension QueryParameters {
  /// Whether a parameter is there, whatever its value.
  public func has(_ key: String) -> Bool { value(key) != nil }

  /// Whether a parameter is not of this query alone.
  func isShared(_ key: String) -> Bool { entries.first { $0.key == key }?.isShared ?? false }

  /// What a parameter says, read or not.
  public func value(_ key: String) -> String? { entries.first { $0.key == key }?.value }

  /// What a parameter was given by, or would be, for messages.
  public func name(_ key: String) -> String { entries.first { $0.key == key }?.name ?? prefix + key }

  /// The value of a parameter; nil where it is not there.
  public mutating func text(_ key: String) -> String? {
    var value: String?
    var isRefused = false
    for index in entries.indices where entries[index].key == key {
      entries[index].isRead = true
      if let value, !isRefused {
        refuse(key, expected: "one value", found: "\(value), \(entries[index].value)")
        isRefused = true
      }
      value = entries[index].value
    }
    return value
  }

  /// The number that a parameter gives; nil where it is not there or is noted as wrong.
  ///
  /// - Parameters:
  ///   - key: Of the parameter.
  ///   - range: What numbers are right.
  ///   - unit: What stands before the range in messages, such as `a number of pixels `.
  ///   - expected: What messages say in place of unit and range.
  public mutating func number(
    _ key: String, in range: ClosedRange<Double>, unit: String = "", expected: String? = nil
  ) -> Double? {
    guard let text = text(key) else { return nil }
    if let number = Self.number(text), range ~= number { return number }
    let (low, high) = (ParameterValue.number(range.lowerBound), ParameterValue.number(range.upperBound))
    let isBounded = range.upperBound < .greatestFiniteMagnitude
    refuse(
      key, expected: expected ?? (isBounded ? "\(unit)from \(low) to \(high)" : "\(unit.dropLast()), \(low) or more"),
      found: text)
    return nil
  }

  /// The whole number that a parameter gives; nil where it is not there or is noted as wrong.
  public mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = text(key) else { return nil }
    if let number = Int(text), range ~= number { return number }
    refuse(
      key,
      expected: range.upperBound == .max
        ? "\(range.lowerBound) or more" : "a whole number from \(range.lowerBound) to \(range.upperBound)", found: text)
    return nil
  }

  /// The case whose raw value a parameter gives; nil where it is not there or is noted as wrong.
  public mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, of _: Choice.Type)
    -> Choice?
  {
    guard let text = text(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    refuse(key, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "), found: text)
    return nil
  }

  /// Whether a parameter says `true`; one that is not there says `false`.
  public mutating func flag(_ key: String) -> Bool {
    switch text(key) {
    case nil, "false": return false
    case "true": return true
    case let text?:
      refuse(key, expected: "true or false", found: text)
      return false
    }
  }

  /// So many numbers with commas between.
  public mutating func numbers(_ key: String, count: Int, expected: String) -> [Double]? {
    guard let text = text(key) else { return nil }
    // Those that are not finite are left to what they are for: a box tells which edge it is.
    let comma = UInt8(ascii: ",")
    let numbers = text.utf8.split(separator: comma, omittingEmptySubsequences: false).map { part -> Double? in
      if part.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) { return nil }
      return Double(part.contains(UInt8(ascii: " ")) ? Substring(part).filter { $0 != " " }[...] : Substring(part))
    }
    if numbers.count == count, !numbers.contains(nil) { return numbers.map { $0! } }
    refuse(key, expected: expected, found: text)
    return nil
  }

  /// Finite, and without the spellings that only Swift knows.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ $0 < UInt8(ascii: ":") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }
}

// MARK: - Faults

extension QueryParameters {
  /// Notes what is wrong with a parameter.
  ///
  /// - Parameters:
  ///   - key: Of the parameter.
  ///   - expected: What it should be.
  ///   - found: What it is; nil where it is missing.
  ///   - sentence: The same in words, with names of parameters in braces.
  public mutating func refuse(_ key: String, expected: String, found: String?, sentence: String? = nil) {
    // A request is no longer than a few kilobytes, but what it is told need not be as long.
    let found = found.map { $0.count > 100 ? $0.prefix(100) + "…" : $0 }
    let sentence = sentence.map { Fault.replacingNames(in: $0) { "{\(name($0))}" } }
    faults.append(Fault(name(key), expected: expected, found: found, sentence: sentence))
  }

  /// Notes those that are there of parameters that go with something else.
  ///
  /// - Parameters:
  ///   - keys: Of the parameters.
  ///   - expected: What each should be.
  ///   - sentence: The same in words, with names of parameters in braces.
  public mutating func refuse(_ keys: [String], expected: String, sentence: String? = nil) {
    for key in keys {
      guard let value = text(key) else { continue }
      refuse(key, expected: expected, found: value, sentence: sentence)
    }
  }

  /// Notes all that nothing has read.
  public mutating func refuseUnread() {
    for entry in entries where !entry.isRead && faults.count < 16 {
      refuse(
        entry.key, expected: "no such parameter", found: entry.value, sentence: "there is no parameter {\(entry.key)}.")
    }
  }
}
