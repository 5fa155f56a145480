import ArgumentParser

/// Times the engine from inside; `scripts/bench` runs it beside the engine's peers.
@main
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Benchmarks",
    abstract: "Times builds and queries and prints one JSON object each.",
    subcommands: [GenerateCommand.self, BuildBenchmark.self, QueryBenchmark.self])
}
