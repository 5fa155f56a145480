import ArgumentParser

/// The option for the number of threads.
struct ThreadOptions: ParsableArguments {
  @Option(help: .init("The number of threads. (default: all cores)", valueName: "n")) var threads: Int?

  func validate() throws {
    if let threads, !(1...1024 ~= threads) {
      throw ValidationError("'--threads' must be from 1 to 1024, found \(threads).")
    }
  }
}
