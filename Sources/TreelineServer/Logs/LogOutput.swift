import Dispatch
import Foundation
import Synchronization

/// Lines on their way to standard error. One thread writes them, so whoever reads them slowly, or never, holds up no
/// answer: what there is no room for is dropped, counted, and told once there is room again.
final class LogOutput: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isWriting = false
    var untold = 0
  }

  private let state = Mutex(State())
  private let dropped = Atomic(0)
  private let queue = DispatchQueue(label: "treeline.log")
  private let descriptor: CInt
  private let most: Int

  /// - Parameters:
  ///   - descriptor: Where lines go; it stays open.
  ///   - most: How many bytes may wait.
  init(descriptor: CInt = STDERR_FILENO, most: Int = 1 << 20) { (self.descriptor, self.most) = (descriptor, most) }

  /// Lines that nobody took in time.
  var droppedLineCount: Int { dropped.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - line: With its end.
  ///   - notice: The line that tells of so many that were dropped.
  func write(_ line: String, notice: (Int) -> String) {
    let wakes = state.withLock { state in
      guard state.waiting.count + line.utf8.count <= most else {
        state.untold += 1
        dropped.add(1, ordering: .relaxed)
        return false
      }
      if state.untold > 0 {
        state.waiting += notice(state.untold).utf8
        state.untold = 0
      }
      state.waiting += line.utf8
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if wakes { queue.async { self.drain() } }
  }

  private func drain() {
    while true {
      let bytes = state.withLock { state in
        defer { state.waiting = [] }
        state.isWriting = !state.waiting.isEmpty
        return state.waiting
      }
      if bytes.isEmpty { return }
      bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if count < 0 && errno == EINTR { continue }
          if count < 0 && errno == EAGAIN {
            // Whoever shares it has made it one that does not wait.
            usleep(10_000)
            continue
          }
          // Nobody is there any more.
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
        }
      }
    }
  }

  /// Waits until all is written, but for so long at most.
  func flush(within seconds: Double = 1) {
    let group = DispatchGroup()
    queue.async(group: group) {}
    _ = group.wait(timeout: .now() + seconds)
  }
}
