import Dispatch

/// Suspends the task for a millisecond, even if the task is canceled. A loop with `Task.yield` would keep a core busy,
/// which hundreds of other tests need.
public func pause() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
  }
}

/// Waits until a condition holds.
public func wait(isolation: isolated (any Actor)? = #isolation, until condition: () -> Bool) async {
  while !condition() { await pause() }
}
