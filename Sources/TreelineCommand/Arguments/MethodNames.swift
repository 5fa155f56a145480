import ArgumentParser
import TreelineComparison

/// Names of methods, separated by commas.
struct MethodNames: Sendable {
  let choices: [MethodChoice]

  init(argument: String) throws {
    if argument == "all" {
      choices = MethodChoice.all
      return
    }
    var choices: [MethodChoice] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let choice = MethodChoice(name: String(name)) else {
        throw ValidationError("expected names out of \(Self.all), found '\(name)'")
      }
      guard !choices.contains(choice) else {
        throw ValidationError("expected each name once, found '\(name)' twice")
      }
      choices.append(choice)
    }
    self.choices = choices
  }

  static let all = MethodChoice.all.map(\.name).joined(separator: ", ")
  static let standard = MethodChoice.standard().map(\.name).joined(separator: ",")
}
