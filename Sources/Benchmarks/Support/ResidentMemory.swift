import Foundation

/// The memory of this process that is not swapped out, in bytes.
enum ResidentMemory {
  #if os(Linux)
    // Not getrusage: its peak begins with that of the process that started this one.
    static var now: Int { kilobytes("VmRSS:") << 10 }
    static var peak: Int { kilobytes("VmHWM:") << 10 }

    private static func kilobytes(_ name: String) -> Int {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return Int(line.filter(\.isNumber)) ?? 0
    }
  #else
    static var now: Int { peak }
    static var peak: Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    }
  #endif
}
