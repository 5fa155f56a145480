import Dispatch

/// Lets others run for a millisecond, also in a task that is cancelled. Unlike `Task.yield`, it leaves the core to them:
/// a test that waits for another task does so while hundreds of tests compute.
public func pause() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
  }
}

/// Waits until a condition holds.
public func wait(isolation: isolated (any Actor)? = #isolation, until condition: () -> Bool) async {
  while !condition() { await pause() }
}
