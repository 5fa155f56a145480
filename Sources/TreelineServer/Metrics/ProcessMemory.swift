import Foundation

enum ProcessMemory {
  /// What the process has in memory, files that it maps included; 0 where the system does not tell.
  static var residentBytes: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
    return (pages.flatMap { $0 }.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
