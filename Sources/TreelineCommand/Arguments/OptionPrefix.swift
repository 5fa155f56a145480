import ArgumentParser
import Treeline

/// What stands before the names of the options of one of several queries.
protocol OptionPrefix {
  static var prefix: String { get }
  /// Which of them it is of, in words.
  static var owner: String { get }
}

/// Options of the only query, or of all.
enum NoPrefix: OptionPrefix {
  static let (prefix, owner) = ("", "")
}

enum FromPrefix: OptionPrefix {
  static let (prefix, owner) = ("from-", "first")
}

enum ToPrefix: OptionPrefix {
  static let (prefix, owner) = ("to-", "second")
}

/// A parameter of a query that came as an option. What it says is for `QueryParameters` to read.
typealias Parameter = (name: String, value: String)

extension OptionPrefix {
  static func name(_ name: String) -> NameSpecification { .customLong(prefix + name) }

  /// - Parameter text: Of the option without a prefix.
  static func help(_ name: String, _ text: String, valueName: String) -> ArgumentHelp {
    ArgumentHelp(prefix.isEmpty ? "\(text)" : "--\(name) of the \(owner) view.", valueName: valueName)
  }

  static func parameters(_ options: [(name: String, value: String?)]) -> [Parameter] {
    options.compactMap { name, value in value.map { (prefix + name, $0) } }
  }
}

extension QueryParameters {
  /// - Throws: `ValidationError` of what was found to be wrong first.
  func check() throws { if let fault = faults.first { throw ValidationError(fault.message { "'--\($0)'" }) } }
}
