/// The named parameters of a query: `limit`, `zoom` and so on, each with a value. A command line, a URL and a JSON
/// object use the same names and values. `Query.init(_:)` reads the parameters.
///
/// All faults are collected, so that they can be reported at once. A parameter that nothing reads is a fault, too,
/// because its name is usually misspelled.
public struct QueryParameters: Sendable {
  /// A parameter that is wrong or missing.
  public struct Fault: Hashable, Sendable {
    /// The name of the parameter.
    @_spi(Server) public let name: String
    /// The expected value, in words.
    @_spi(Server) public let expected: String
    /// The value that was found; nil if the parameter is missing.
    @_spi(Server) public let found: String?

    /// The fault as a sentence, with names of parameters in braces; nil if the sentence is made from the other
    /// properties.
    private let sentence: String?

    /// - Parameters:
    ///   - name: The name of the parameter.
    ///   - expected: The expected value, in words.
    ///   - found: The value that was found; nil if the parameter is missing.
    ///   - sentence: The fault as a sentence, with names of parameters in braces, if the other arguments do not make a
    ///     good sentence.
    @_spi(Server) public init(_ name: String, expected: String, found: String?, sentence: String? = nil) {
      (self.name, self.expected, self.found, self.sentence) = (name, expected, found, sentence)
    }

    /// Returns the fault as a sentence, with names of parameters in the given spelling, such as `'--limit'`.
    public func message(spelling: (_ name: String) -> String) -> String {
      guard let sentence else {
        let found = found.map { $0.isEmpty ? "nothing" : $0 } ?? "none"
        return "\(spelling(name)) must be \(expected), found \(found)."
      }
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

  /// The ranges of accepted values.
  public struct Bounds: Hashable, Sendable {
    /// The range of limits.
    package var limits: ClosedRange<Int>
    /// The range of zooms, for any tile size.
    package var zooms: ClosedRange<Double>
    /// The range of the width and height of a screen, in pixels.
    package var sides: ClosedRange<Double>
    /// The range of a detail and of a spacing, in pixels. The scale of badges has the same range.
    @_spi(Server) public var pixels: ClosedRange<Double>

    /// Makes bounds. By default, limits are 1 or more, zooms are from 0 to 32, and screens have sides of up to 16,384
    /// px.
    public init(
      limits: ClosedRange<Int> = 1 ... .max, zooms: ClosedRange<Double> = 0...32,
      sides: ClosedRange<Double> = 1...16_384, pixels: ClosedRange<Double> = 0 ... .greatestFiniteMagnitude
    ) { (self.limits, self.zooms, self.sides, self.pixels) = (limits, zooms, sides, pixels) }

    /// Bounds that accept all values that a query can have.
    static let none = Bounds(
      zooms: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude,
      sides: Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude)
  }

  /// The ranges of accepted values.
  @_spi(Server) public var bounds: Bounds
  /// The faults that have been found so far.
  public private(set) var faults: [Fault] = []
  private var entries: [Entry]
  private let prefix: String

  private struct Entry {
    /// The name by which the parameter is read, without the query's prefix.
    let key: String
    /// The name by which the parameter was given, including any prefix such as `from-`.
    let name: String
    let value: String
    var isRead = false
    var isShared = false
  }

  /// Makes parameters from names and values, in any order.
  public init(_ values: some Sequence<(name: String, value: String)>, bounds: Bounds = Bounds()) {
    self.init(values.map { Entry(key: $0, name: $0, value: $1) }, bounds: bounds, prefix: "")
  }

  private init(_ entries: [Entry], bounds: Bounds, prefix: String) {
    (self.entries, self.bounds, self.prefix) = (entries, bounds, prefix)
  }
}

// MARK: - Several queries

extension QueryParameters.Bounds {
  /// Returns `zoom`, or nil if `zoom` is above the greatest accepted zoom. A map cannot zoom in that far.
  @_spi(Server) public func reached(_ zoom: Double?) -> Double? { zoom.flatMap { $0 <= zooms.upperBound ? $0 : nil } }
}

extension QueryParameters {
  /// Reads one of several queries. The parameters of this query have names that begin with a prefix, as `from-zoom`
  /// begins with `from-`. The closure `body` finds these parameters under their names without the prefix.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the names, such as `from-`.
  ///   - shared: Groups of names that apply to this query even without the prefix. If any name of a group is given
  ///     with the prefix, the query ignores all parameters of the group that are given without the prefix.
  ///   - body: Reads the query.
  @_spi(Server) public mutating func read<Value>(
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

  /// Adds a parameter with a default value, unless the parameter was given.
  package mutating func setDefault(_ key: String, _ value: String) {
    if !has(key) { entries.append(Entry(key: key, name: prefix + key, value: value, isRead: true)) }
  }
}

// MARK: - Reading

extension QueryParameters {
  /// Returns whether a parameter was given, whatever its value.
  @_spi(Server) public func has(_ key: String) -> Bool { value(key) != nil }

  /// Returns whether a parameter is shared with other queries.
  func isShared(_ key: String) -> Bool { entries.first { $0.key == key }?.isShared ?? false }

  /// Returns the value of a parameter, whether or not it has been read.
  @_spi(Server) public func value(_ key: String) -> String? { entries.first { $0.key == key }?.value }

  /// Returns the name that messages use for a parameter. For a parameter that was not given, this name is `prefix`
  /// followed by `key`.
  package func name(_ key: String) -> String { entries.first { $0.key == key }?.name ?? prefix + key }

  /// Reads the value of a parameter; nil if it was not given.
  @_spi(Server) public mutating func text(_ key: String) -> String? {
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

  /// Reads a number; nil if the parameter was not given or has a wrong value. A wrong value is noted as a fault.
  ///
  /// - Parameters:
  ///   - key: The name of the parameter.
  ///   - range: The range of accepted numbers.
  ///   - unit: The words before the range in messages, such as `a number of pixels `.
  ///   - expected: The words that messages use instead of `unit` and `range`; nil to use `unit` and `range`.
  @_spi(Server) public mutating func number(
    _ key: String, in range: ClosedRange<Double>, unit: String = "", expected: String? = nil
  ) -> Double? {
    guard let text = text(key) else { return nil }
    if let number = Self.number(text), range ~= number { return number }
    refuse(key, expected: expected ?? Self.phrase(for: range, unit: unit), found: text)
    return nil
  }

  /// Returns the numbers of a range, in words.
  private static func phrase(for range: ClosedRange<Double>, unit: String) -> String {
    let (low, high) = (ParameterValue.text(range.lowerBound), ParameterValue.text(range.upperBound))
    let noun = unit.isEmpty ? "a number" : String(unit.dropLast())
    if range.upperBound < .greatestFiniteMagnitude { return "\(noun) from \(low) to \(high)" }
    return switch range.lowerBound {
    case -.greatestFiniteMagnitude: noun
    case .leastNonzeroMagnitude: "\(noun) greater than 0"
    default: "\(noun), \(low) or more"
    }
  }

  /// Reads a whole number; nil if the parameter was not given or has a wrong value. A wrong value is noted as a fault.
  @_spi(Server) public mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = text(key) else { return nil }
    if let number = Int(text), range ~= number { return number }
    let isTooLarge = !text.isEmpty && Int(text) == nil && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    refuse(
      key,
      expected: range.upperBound == .max && !isTooLarge
        ? "a whole number, \(range.lowerBound) or more"
        : "a whole number from \(range.lowerBound) to \(range.upperBound)", found: text)
    return nil
  }

  /// Reads a case of an enumeration by its raw value; nil if the parameter was not given or has a wrong value. A wrong
  /// value is noted as a fault.
  @_spi(Server) public mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, of _: Choice.Type
  )
    -> Choice?
  {
    guard let text = text(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    refuse(key, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "), found: text)
    return nil
  }

  /// Reads a flag. The flag is true if the value of the parameter is `true`, and false if the parameter was not given.
  @_spi(Server) public mutating func flag(_ key: String) -> Bool {
    switch text(key) {
    case nil, "false": return false
    case "true": return true
    case let text?:
      refuse(key, expected: "true or false", found: text)
      return false
    }
  }

  /// Reads `count` numbers with commas between them.
  package mutating func numbers(_ key: String, count: Int, expected: String) -> [Double]? {
    guard let text = text(key) else { return nil }
    // The numbers may be infinite or NaN here. For a box, a later check rejects such numbers, and its message says
    // which edge is not finite.
    let comma = UInt8(ascii: ",")
    let numbers = text.utf8.split(separator: comma, omittingEmptySubsequences: false).map { part -> Double? in
      if part.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) { return nil }
      return Double(part.contains(UInt8(ascii: " ")) ? Substring(part).filter { $0 != " " }[...] : Substring(part))
    }
    if numbers.count == count, !numbers.contains(nil) { return numbers.map { $0! } }
    refuse(key, expected: expected, found: text)
    return nil
  }

  /// Converts a text to a finite number; nil if this is not possible. Spellings that only Swift accepts, such as
  /// `0x1p3`, are rejected.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ $0 < UInt8(ascii: ":") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }
}

// MARK: - Faults

extension QueryParameters {
  /// Notes a fault of a parameter.
  ///
  /// - Parameters:
  ///   - key: The name of the parameter.
  ///   - expected: The expected value, in words.
  ///   - found: The value that was found; nil if the parameter is missing.
  ///   - sentence: The fault as a sentence, with names of parameters in braces.
  @_spi(Server) public mutating func refuse(_ key: String, expected: String, found: String?, sentence: String? = nil) {
    // A request may be a few kilobytes long, but the message about it should be short.
    let found = found.map { $0.count > 100 ? $0.prefix(100) + "…" : $0 }
    let sentence = sentence.map { Fault.replacingNames(in: $0) { "{\(name($0))}" } }
    faults.append(Fault(name(key), expected: expected, found: found, sentence: sentence))
  }

  /// Notes a fault for each parameter of `keys` that was given. The fault is that the parameter does not fit the rest
  /// of the query.
  ///
  /// - Parameters:
  ///   - keys: The names of the parameters.
  ///   - expected: The expected value of each parameter, in words.
  ///   - sentence: The fault as a sentence, with names of parameters in braces.
  @_spi(Server) public mutating func refuse(_ keys: [String], expected: String, sentence: String? = nil) {
    for key in keys {
      guard let value = text(key) else { continue }
      refuse(key, expected: expected, found: value, sentence: sentence)
    }
  }

  /// Returns all faults as sentences, with names of parameters in the given spelling. A sentence about several
  /// faults, such as all parameters that are missing, occurs once.
  package func message(spelling: (_ name: String) -> String) -> String {
    var told: [String] = []
    for sentence in faults.map({ $0.message(spelling: spelling) }) where !told.contains(sentence) {
      told.append(sentence)
    }
    return told.joined(separator: " ")
  }

  /// Notes a fault for each parameter that nothing has read.
  public mutating func refuseUnread() {
    for entry in entries where !entry.isRead && faults.count < 16 {
      refuse(
        entry.key, expected: "no such parameter", found: entry.value, sentence: "there is no parameter {\(entry.key)}.")
    }
  }
}
