import Foundation

/// Leaves no half-written file behind where a signal ends the process: an interrupt, a terminal that is closed, a reader
/// that has gone.
enum Interruption {
  private static let signals = [SIGHUP, SIGINT, SIGPIPE, SIGTERM]

  /// Has those signals remove a file before they end the process. That it is gone by then is no harm.
  static func removes(_ path: String) {
    precondition(nameCount < maximumNameCount, "No subcommand writes more than \(maximumNameCount) files")
    names[nameCount] = strdup(path)
    nameCount += 1
    for number in signals {
      // A signal that is ignored, as under nohup, is to stay so.
      if unsafeBitCast(signal(number, removeAndEnd), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }
}

private let maximumNameCount = 2

/// A handler may neither allocate nor lock, so it gets plain memory, written before it is installed.
private nonisolated(unsafe) let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  .allocate(capacity: maximumNameCount)
private nonisolated(unsafe) var nameCount = 0

private func removeAndEnd(_ number: Int32) {
  for index in 0..<nameCount { unlink(names[index]!) }
  signal(number, SIG_DFL)
  raise(number)
}
