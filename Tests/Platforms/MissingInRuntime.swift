// Declares parts of the standard library that the runtime uses and that are missing in Embedded Swift. This file only
// serves to check types.

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
