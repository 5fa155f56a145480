// Declares parts of the standard library that are missing in Embedded Swift, with the same signatures as in the
// standard library. This file only serves to check types.

struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  private var value: Value
  init(_ value: Value) { self.value = value }
  borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result { fatalError() }
}

struct CancellationError: Error {}

struct Task<Success: Sendable, Failure: Error>: Sendable {}

extension Task where Success == Never, Failure == Never {
  static var isCancelled: Bool { false }
  static func checkCancellation() throws {}
}

extension Task where Failure == Never {
  @discardableResult init(
    @_inheritActorContext @_implicitSelfCapture operation: @Sendable @escaping @isolated(any) () async -> Success
  ) {}
  static func detached(operation: @Sendable @escaping @isolated(any) () async -> Success) -> Self { fatalError() }
  var value: Success { get async { fatalError() } }
}

public protocol AsyncIteratorProtocol<Element> {
  associatedtype Element
  mutating func next() async throws -> Element?
}

public protocol AsyncSequence<Element> {
  associatedtype Element
  associatedtype AsyncIterator: AsyncIteratorProtocol where AsyncIterator.Element == Element
  func makeAsyncIterator() -> AsyncIterator
}

public struct AsyncStream<Element>: AsyncSequence {
  public struct Iterator: AsyncIteratorProtocol {
    public mutating func next() async -> Element? { nil }
  }

  struct Continuation: Sendable {
    enum Termination { case finished, cancelled }
    enum BufferingPolicy { case unbounded, bufferingOldest(Int), bufferingNewest(Int) }

    func yield(_ value: sending Element) {}
    func finish() {}
    var onTermination: (@Sendable (Termination) -> Void)? {
      get { nil }
      nonmutating set {}
    }
  }

  static func makeStream(bufferingPolicy: Continuation.BufferingPolicy) -> (stream: Self, continuation: Continuation) {
    fatalError()
  }
  public func makeAsyncIterator() -> Iterator { fatalError() }
}

func withTaskCancellationHandler<Result>(
  operation: () async throws -> Result, onCancel: @Sendable () -> Void
) async rethrows -> Result { try await operation() }

struct CheckedContinuation<Value, Failure: Error>: Sendable {
  func resume(returning value: Value) {}
  func resume(throwing error: Failure) {}
  func resume(with result: Result<Value, Failure>) {}
}

func withCheckedThrowingContinuation<Value>(
  _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> Value { fatalError() }
