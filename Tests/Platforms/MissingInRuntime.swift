// Parts of the standard library that Embedded Swift lacks and the runtime uses. Only for type checks.

public struct CancellationError: Error {
  public init() {}
}

public final class TaskLocal<Value: Sendable>: Sendable {
  public init(wrappedValue: Value) {}
  public func get() -> Value { fatalError() }
  public func withValue<Result>(_ value: Value, operation: () throws -> Result) rethrows -> Result { fatalError() }
}

struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  private var value: Value
  init(_ value: Value) { self.value = value }
  borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result { fatalError() }
}
