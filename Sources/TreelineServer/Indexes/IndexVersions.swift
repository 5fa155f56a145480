import NIOCore
import Synchronization

/// The newest version of an index, and streams of new versions for clients that wait for changes.
final class IndexVersions: Sendable {
  private struct State {
    var newest: ServedIndex
    var readers: [Int: AsyncStream<ServedIndex>.Continuation] = [:]
    var count = 0
    var isStopped = false
  }

  private let state: Mutex<State>

  init(_ first: ServedIndex) { state = Mutex(State(newest: first)) }

  var newest: ServedIndex { state.withLock { $0.newest } }

  /// Stores the given version as the newest version, and sends this version to all streams.
  func publish(_ index: ServedIndex) {
    state.withLock { state in
      state.newest = index
      for reader in state.readers.values { reader.yield(index) }
    }
  }

  /// Returns a stream that begins with the newest version and ends after `time`. A slow reader skips versions and gets
  /// the newest version.
  ///
  /// - Parameter closed: If this future completes, the stream ends earlier.
  func stream(for time: Duration, orUntil closed: EventLoopFuture<Void>? = nil) -> AsyncStream<ServedIndex> {
    let (stream, reader) = AsyncStream<ServedIndex>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      reader.yield(state.newest)
      guard !state.isStopped else { return nil }
      state.count += 1
      state.readers[state.count] = reader
      return state.count
    }
    guard let number else {
      reader.finish()
      return stream
    }
    closed?.whenComplete { _ in reader.finish() }
    let timer = Task {
      try await Task.sleep(for: time)
      reader.finish()
    }
    reader.onTermination = { [weak self] _ in
      timer.cancel()
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  func stop() {
    let all = state.withLock { state in
      state.isStopped = true
      return Array(state.readers.values)
    }
    for reader in all { reader.finish() }
  }
}
