import Dispatch
import Foundation
import Synchronization

/// A buffer of lines for standard error. A separate thread writes the lines, so a slow or stopped reader delays no
/// answer. Lines that do not fit into the buffer are dropped and counted. The next line that fits is preceded by a
/// notice with the count.
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

  /// Creates an empty buffer.
  ///
  /// - Parameters:
  ///   - descriptor: File descriptor to which lines are written. The descriptor stays open.
  ///   - most: Maximum number of bytes in the buffer.
  init(descriptor: CInt = STDERR_FILENO, most: Int = 1 << 20) { (self.descriptor, self.most) = (descriptor, most) }

  /// Number of lines that were dropped because the reader was too slow.
  var droppedLineCount: Int { dropped.load(ordering: .relaxed) }

  /// Adds a line to the buffer, or drops the line if the buffer is full.
  ///
  /// - Parameters:
  ///   - line: The line, including its line break.
  ///   - notice: A function that returns a line with the number of dropped lines. The argument is this number.
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
            // Another process that shares the descriptor has made it non-blocking. So this thread waits, and then tries
            // again.
            usleep(10_000)
            continue
          }
          // The reader has closed the pipe.
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
        }
      }
    }
  }

  /// Waits until all lines are written, but at most `seconds` seconds.
  func flush(within seconds: Double = 1) {
    let group = DispatchGroup()
    queue.async(group: group) {}
    _ = group.wait(timeout: .now() + seconds)
  }
}
