import ArgumentParser
import Treeline
import TreelineVerification

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Checks every byte of an index.",
    discussion: """
      Checks every attribute and the checksums of all sections. Then checks the header and the hierarchy against the \
      points: the plane fits the points, ranges of nodes are nested without gaps, the order is canonical, and boxes, \
      sums and covariances are right. Also checks that at every spacing, no two clusters are too close together and \
      no cluster could be split further. With --site, only compares the index with a folder that 'publish' wrote. \
      The exit code is 65 if something is wrong.
      """)

  @Argument(help: .init("The index; '-' is standard input, which must be redirected from a file.", valueName: "index"))
  var path: String

  @Option(help: .init("A folder that 'publish' wrote, to compare with the index.", valueName: "folder"))
  var site: String?

  @Flag(help: "Print JSON.") var json = false

  @OptionGroup var notes: NoteOptions

  private struct Report: Encodable {
    let index: String
    let isSound: Bool
    let problems: [String]
  }

  func run() throws {
    try reportingFailures {
      if let site { return try verify(site: site) }
      let bar = ProgressBar()
      defer { bar.clear() }
      let problems = try ClusterTree.problems(ofIndex: path) { progress in
        let total = Double(progress.pointCount)
        bar.show(progress.stage.verb, done: progress.fraction * total, of: total, unit: "points")
      }
      bar.clear()
      let name = Input.name(of: path)
      if json {
        try writeToStandardOutput(
          json: Report(index: name, isSound: problems.isEmpty, problems: problems.map { "\($0)" }))
        if !problems.isEmpty { throw ExitCode(65) }
        return
      }
      for problem in problems { printToStandardError("\(name): \(problem)") }
      guard problems.isEmpty else {
        throw Failure.badData("\(name): the index is damaged; build it again")
      }
      try writeToStandardOutput("\(name): sound\n")
    }
  }

  private func verify(site: String) throws {
    let problem = try PublishedIndex(path).problem(with: site)
    if json {
      try writeToStandardOutput(
        json: Report(index: Input.name(of: path), isSound: problem == nil, problems: problem.map { [$0] } ?? []))
      if problem != nil { throw ExitCode(65) }
      return
    }
    if let problem { throw Failure.badData("\(site)/\(problem)") }
    try writeToStandardOutput("\(site): equal to \(Input.name(of: path))\n")
  }
}

extension VerificationProgress.Stage {
  fileprivate var verb: String {
    switch self {
    case .hierarchy: "Checking"
    case .separations: "Checking separations"
    }
  }
}
