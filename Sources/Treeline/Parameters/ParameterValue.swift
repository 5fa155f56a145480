/// The value of a query's parameter, with a type as in JSON. The `description` is the text that stands for the value
/// on a command line or in a URL.
package enum ParameterValue: Hashable, Sendable {
  /// A word or a text.
  case text(String)
  /// A whole number.
  case integer(Int)
  /// A number.
  case number(Double)
  /// Numbers, separated by commas.
  case numbers([Double])
  /// True or false.
  case flag(Bool)
}

extension ParameterValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .number(let number): Self.text(number)
    case .numbers(let numbers): numbers.map(Self.text).joined(separator: ",")
    case .flag(let flag): "\(flag)"
    }
  }

  /// Returns the text that stands for a number in parameters and messages.
  package static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// A value that is written as parameters and read back from these parameters. In JSON such a value is an object that
/// contains its parameters.
protocol Parameterized {
  /// Names and values, in a fixed order. Default values are left out.
  var parameters: [(name: String, value: ParameterValue)] { get }

  /// Reads the parameters. Faults are noted in `parameters`. If there are faults, the new value is arbitrary.
  init(_ parameters: inout QueryParameters)
}
