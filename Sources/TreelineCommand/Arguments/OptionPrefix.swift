import ArgumentParser
@_spi(Server) import Treeline

/// A prefix of option names, such as `from-`. It distinguishes the queries of a subcommand with several queries.
protocol OptionPrefix {
  static var prefix: String { get }
  /// Name of the query in help texts.
  static var owner: String { get }
}

/// No prefix. Used for the options of a subcommand with one query, and for options that apply to all queries of a
/// subcommand.
enum NoPrefix: OptionPrefix {
  static let (prefix, owner) = ("", "")
}

enum FromPrefix: OptionPrefix {
  static let (prefix, owner) = ("from-", "first")
}

enum ToPrefix: OptionPrefix {
  static let (prefix, owner) = ("to-", "second")
}

/// A parameter of a query, given as an option. `QueryParameters` reads the value.
typealias Parameter = (name: String, value: String)

extension OptionPrefix {
  static func name(_ name: String) -> NameSpecification { .customLong(prefix + name) }

  /// - Parameter text: The help text if there is no prefix. If there is a prefix, the help text refers to the option
  ///   without the prefix.
  static func help(_ name: String, _ text: String, valueName: String) -> ArgumentHelp {
    ArgumentHelp(prefix.isEmpty ? "\(text)" : "--\(name) of the \(owner) view.", valueName: valueName)
  }

  static func parameters(_ options: [(name: String, value: String?)]) -> [Parameter] {
    options.compactMap { name, value in value.map { (prefix + name, $0) } }
  }
}

extension QueryParameters {
  /// Returns the whole number that is the value of an option.
  ///
  /// - Throws: `ValidationError` if the text is not such a number.
  static func integer(_ text: String, ofOption name: String, in range: ClosedRange<Int>) throws -> Int {
    var parameters = QueryParameters([(name, text)])
    let number = parameters.integer(name, in: range)
    try parameters.check()
    return number!
  }

  /// - Throws: `ValidationError` for the first invalid parameter.
  func check() throws { if let fault = faults.first { throw ValidationError(fault.message { "'--\($0)'" }) } }
}
