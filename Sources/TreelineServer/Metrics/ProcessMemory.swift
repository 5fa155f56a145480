import Foundation

enum ProcessMemory {
  /// Resident memory of the process, including mapped files; 0 if the system does not report it.
  static var residentBytes: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
    return (pages.flatMap { $0 }.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
