import Dispatch

/// Lets memory go on another thread: the system takes some 300 ms for a gigabyte, and whoever cancels does not wait.
func inBackground(_ letGo: @escaping @Sendable () -> Void) {
  DispatchQueue.global(qos: .utility).async(execute: letGo)
}

extension BuildMonitor {
  /// Lets memory of a build that goes on go, and waits for it, lest there be more at once than need be; but no longer
  /// once the build is cancelled.
  func letGo(_ letGo: @escaping @Sendable () -> Void) {
    guard total > Self.blockSize else { return letGo() }
    let isDone = DispatchSemaphore(value: 0)
    inBackground {
      letGo()
      isDone.signal()
    }
    while !isCancelled, isDone.wait(timeout: .now() + .milliseconds(5)) == .timedOut {}
  }
}
