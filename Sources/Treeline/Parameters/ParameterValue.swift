/// The value of a query's parameter, as JSON has it; its description is what a command line and a URL have.
public enum ParameterValue: Hashable, Sendable {
  /// A word or a text.
  case text(String)
  /// A whole number.
  case integer(Int)
  /// A number.
  case number(Double)
  /// Numbers, which commas separate.
  case numbers([Double])
  /// True or false.
  case flag(Bool)
}

extension ParameterValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .number(let number): Self.text(number)
    case .numbers(let numbers): numbers.map(Self.text).joined(separator: ",")
    case .flag(let flag): "\(flag)"
    }
  }

  /// A number as messages spell it, too.
  package static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension ParameterValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let numbers = try? container.decode([Double].self) {
      self = .numbers(numbers)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .numbers(let numbers): try container.encode(numbers)
    case .flag(let flag): try container.encode(flag)
    }
  }
}

/// A value that is written as parameters and read back from them: as JSON, an object of them.
protocol Parameterized: Codable {
  /// Names and values, in a fixed order; what goes without saying is left out.
  var parameters: [(name: String, value: ParameterValue)] { get }

  /// Reads them. Faults are left in the parameters; where there are any, the value is as good as any.
  init(_ parameters: inout QueryParameters)
}

extension Parameterized {
  public init(from decoder: any Decoder) throws {
    let values = try [String: ParameterValue](from: decoder).sorted { $0.key < $1.key }
    var parameters = QueryParameters(values.map { ($0.key, "\($0.value)") }, bounds: .none)
    self.init(&parameters)
    parameters.refuseUnread()
    if !parameters.faults.isEmpty {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: parameters.faults.map { $0.message { $0 } }.joined(separator: " ")))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    try Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.value) }).encode(to: encoder)
  }
}
