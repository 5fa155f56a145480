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

/// A value that is written as parameters and read back from them: in JSON, an object of them.
protocol Parameterized {
  /// Names and values, in a fixed order; what goes without saying is left out.
  var parameters: [(name: String, value: ParameterValue)] { get }

  /// Reads them. Faults are left in the parameters; where there are any, the value is as good as any.
  init(_ parameters: inout QueryParameters)
}
