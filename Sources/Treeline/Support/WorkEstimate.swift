/// The estimated cost of a filter or of aggregates, found without doing the work. The estimate is an upper bound,
/// apart from small constants.
@_spi(Server) public struct WorkEstimate: Hashable, Sendable {
  /// Elementary steps, of about a nanosecond each. Data that is already prepared costs nothing.
  public var steps = 0

  /// The number of bytes that the texts and numbers of aggregates take in a JSON answer.
  public var valueBytes = 0

  /// Adds a number of steps for each of `count` items.
  mutating func add(_ stepsEach: Int, for count: Int) {
    steps = Self.sum(steps, Self.product(stepsEach, count))
  }

  mutating func addValues(_ bytesEach: Int, for count: Int) {
    valueBytes = Self.sum(valueBytes, Self.product(bytesEach, count))
  }

  static func + (a: WorkEstimate, b: WorkEstimate) -> WorkEstimate {
    WorkEstimate(steps: sum(a.steps, b.steps), valueBytes: sum(a.valueBytes, b.valueBytes))
  }

  /// Returns the sum of two numbers, or `Int.max` if the sum overflows. Both numbers must be 0 or more.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflows) = a.addingReportingOverflow(b)
    return overflows ? .max : sum
  }

  static func product(_ a: Int, _ b: Int) -> Int {
    let (product, overflows) = a.multipliedReportingOverflow(by: b)
    return overflows ? .max : product
  }
}
