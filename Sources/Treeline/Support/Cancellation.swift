/// Cancellation of work on a tree by the code that started the work.
///
/// Long loops of filters, aggregates and histograms check for cancellation every few milliseconds. A cancelled loop
/// discards its partial results. So a tree never keeps unfinished results.
@_spi(Server) public enum Cancellation {
  /// A function that returns whether the current work is cancelled; nil if the work cannot be cancelled. The property
  /// is declared without the macro `@TaskLocal`, because the stubs for other platforms do not include this macro.
  private static let current = TaskLocal<(@Sendable () -> Bool)?>(wrappedValue: nil)

  /// Runs work that stops within about 10 ms once it is cancelled.
  ///
  /// - Parameters:
  ///   - isCancelled: Returns whether the result is no longer wanted. The function is called often, on the calling
  ///     thread. Once the function has returned true, it must always return true.
  ///   - work: The work, which runs on the calling thread.
  /// - Throws: `CancellationError` if the work was cancelled, even if it had finished or thrown another error. If the
  ///   work was not cancelled, throws the error that the work throws.
  public static func run<Result>(unless isCancelled: @escaping @Sendable () -> Bool, _ work: () throws -> Result) throws
    -> Result
  {
    let result = Swift.Result { try current.withValue(isCancelled, operation: work) }
    if isCancelled() { throw CancellationError() }
    return try result.get()
  }

  /// Throws if the current work is cancelled.
  public static func check() throws(CancellationError) { if isCancelled { throw CancellationError() } }

  /// Whether the current work is cancelled.
  static var isCancelled: Bool { current.get()?() ?? false }

  /// Whether the current work can be cancelled.
  static var isPossible: Bool { current.get() != nil }

  /// The number of words of 64 rows that are read between two checks. Reading these words takes 1 ms or less.
  static let wordsPerLook = 1 << 10

  /// Checks for cancellation if `word` is a multiple of `wordsPerLook`. A loop over words, each with the bits of 64
  /// rows, calls this function with the number of every word.
  @inline(__always) static func check(atWord word: Int) throws(CancellationError) {
    if word & (wordsPerLook &- 1) == 0 { try check() }
  }

  /// The number of rows or entries that are read one by one between two checks.
  static let rowsPerLook = 1 << 14
}
