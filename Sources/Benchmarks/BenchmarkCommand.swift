import ArgumentParser

/// Times the engine, which is called directly from Swift. `scripts/bench` runs these benchmarks and benchmarks of
/// comparable libraries.
@main struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Benchmarks", abstract: "Times builds, queries and reading. Each benchmark prints one JSON object.",
    discussion: """
      Points come from a file that Treeline reads or from a file of little-endian doubles (.f64), or are generated \
      in memory from a kind and a number, as in clustered:1000000.
      """,
    subcommands: [
      GenerateCommand.self, ViewsCommand.self, BuildBenchmark.self, MemoryBenchmark.self, PiecesBenchmark.self,
      IndexBenchmark.self, QueryBenchmark.self, SpacingBenchmark.self, FilterBenchmark.self, MapBenchmark.self,
      PhoneBenchmark.self, MergingBenchmark.self, EditsBenchmark.self, PromisesCommand.self, ReadBenchmark.self,
      CancelBenchmark.self, CountedWork.self, CountedCases.self,
    ])
}
