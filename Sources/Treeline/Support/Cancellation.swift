/// Work on a tree that whoever asked for it may stop.
///
/// Long loops of filters, aggregates and histograms look at it every few milliseconds. What they had found until then
/// is thrown away: nothing unfinished is kept with a tree.
@_spi(Server) public enum Cancellation {
  /// Not by the macro, which the types of other platforms have no stand-in for.
  private static let current = TaskLocal<(@Sendable () -> Bool)?>(wrappedValue: nil)

  /// Does work that stops within some 10 ms once it is cancelled.
  ///
  /// - Parameters:
  ///   - isCancelled: Whether the result is no longer wanted. It is called often, on the calling thread, and once true
  ///     must stay so.
  ///   - work: What is done on the calling thread.
  /// - Throws: `CancellationError` if it was cancelled, even where the work itself threw something else or was done;
  ///   otherwise what the work throws.
  public static func run<Result>(unless isCancelled: @escaping @Sendable () -> Bool, _ work: () throws -> Result) throws
    -> Result
  {
    let result = Swift.Result { try current.withValue(isCancelled, operation: work) }
    if isCancelled() { throw CancellationError() }
    return try result.get()
  }

  /// Throws if the work that this is part of is cancelled.
  public static func check() throws(CancellationError) { if isCancelled { throw CancellationError() } }

  /// Whether the work that this is part of is cancelled.
  static var isCancelled: Bool { current.get()?() ?? false }

  /// Whether anybody may cancel the work that this is part of.
  static var isPossible: Bool { current.get() != nil }

  /// How many words of 64 rows are read between two looks: 1 ms or less.
  static let wordsPerLook = 1 << 10

  /// Looks once in `wordsPerLook` calls, each for a word of rows.
  @inline(__always) static func check(atWord word: Int) throws(CancellationError) {
    if word & (wordsPerLook &- 1) == 0 { try check() }
  }

  /// How many rows or entries are read one by one between two looks.
  static let rowsPerLook = 1 << 14
}
