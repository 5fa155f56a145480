import ArgumentParser
import TreelineComparison

/// Names of methods, separated by commas.
enum MethodNames: Sendable {
  /// Whatever the input has what it takes for.
  case all
  case named([MethodChoice])

  init(argument: String) throws {
    if argument == "all" {
      self = .all
      return
    }
    var choices: [MethodChoice] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let choice = MethodChoice(name: String(name)) else {
        throw ValidationError("expected names out of \(Self.known), found '\(name)'")
      }
      guard !choices.contains(choice) else { throw ValidationError("expected each name once, found '\(name)' twice") }
      choices.append(choice)
    }
    self = .named(choices)
  }

  private static let known = MethodChoice.all.map(\.name).joined(separator: ", ")
  static let standard = MethodChoice.standard().map(\.name).joined(separator: ",")
}
