/// A way to cancel work on a tree. The code that started the work can cancel it.
///
/// Long loops of filters, aggregates and histograms check for cancellation every few milliseconds. A cancelled loop
/// discards its partial results. So a tree never keeps unfinished results.
@_spi(Server) public enum Cancellation {
  /// A function that returns whether the current work is cancelled; nil if the work cannot be cancelled. The property
  /// is declared without the macro `@TaskLocal`, because the stubs for other platforms do not include this macro.
  private static let current = TaskLocal<(@Sendable () -> Bool)?>(wrappedValue: nil)

  /// Runs work that can be cancelled. The work stops within about 10 ms after it was cancelled.
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

  /// The number of words that are read between two checks. Each word has the bits of 64 rows. It takes 1 ms or
  /// less to read these words.
  static let wordsPerLook = 1 << 10

  /// Checks for cancellation if `word` is a multiple of `wordsPerLook`. A loop over words, each with the bits of 64
  /// rows, calls this function with the index of each word.
  @inline(__always) static func check(atWord word: Int) throws(CancellationError) {
    if word & (wordsPerLook &- 1) == 0 { try check() }
  }

  /// The number of rows or entries that are read one by one between two checks.
  static let rowsPerLook = 1 << 14
}
