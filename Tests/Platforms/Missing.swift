// Declares parts of the standard library that are missing in Embedded Swift, with the same signatures as in the
// standard library. This file only serves to check types.

struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  private var value: Value
  init(_ value: Value) { self.value = value }
  borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result { fatalError() }
}

struct CancellationError: Error {}

enum Task {
  static var isCancelled: Bool { false }
  static func checkCancellation() throws {}
}

func withTaskCancellationHandler<Result>(
  operation: () async throws -> Result, onCancel: @Sendable () -> Void
) async rethrows -> Result { try await operation() }

struct CheckedContinuation<Value, Failure: Error>: Sendable {
  func resume(returning value: Value) {}
  func resume(throwing error: Failure) {}
}

func withCheckedThrowingContinuation<Value>(
  _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> Value { fatalError() }
