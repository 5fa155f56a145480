import ArgumentParser
import Foundation

/// The options for the memory of a build and for its scratch folder. The folder receives data that does not fit into
/// memory.
struct MemoryOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .init(
      "How much memory the build may use, such as '2GB'. If the points need more memory, the index is built in pieces, in a scratch folder. (default: 60 % of the free memory)",
      valueName: "size"), transform: ByteCount.init(validating:)) var memory: ByteCount?

  @Option(
    help: .init(
      "Where to create the scratch folder, if one is needed. (default: next to the index)", valueName: "folder"))
  var scratch: String?

  @Flag(
    help:
      "Continue an earlier build that was stopped. The input and the options must be the same. A build with --resume keeps its files if it is stopped, so that the next build with --resume can continue."
  ) var resume = false

  func validate() throws {
    if scratch == "" { throw ValidationError("'--scratch' must name a folder, found an empty name.") }
  }

  /// Throws if the scratch folder cannot be created.
  func checkScratch() throws {
    if let scratch { try checkFolder(scratch, for: "--scratch") }
  }
}

/// A number of bytes, which the user writes as `2GB`, `512M`, `1.5 GiB` or `4096`.
struct ByteCount: Equatable {
  let count: Int

  init(_ count: Int) { self.count = count }

  init(validating text: String) throws {
    guard let size = ByteCount(text) else {
      throw ValidationError("expected a size such as 2GB, 512MiB or 1.5G, found \(text.debugDescription)")
    }
    self = size
  }

  /// Parses a size. Returns nil if the text is not a size, or if the size is less than a byte.
  init?(_ argument: String) {
    let text = argument.lowercased().filter { $0 != " " }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let factors: [String: Double] = [
      "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
      "kib": 0x1p10, "mib": 0x1p20, "gib": 0x1p30, "tib": 0x1p40,
    ]
    guard let number = Double(digits), let factor = factors[String(text.dropFirst(digits.count))],
      number * factor >= 1, number * factor <= 0x1p60
    else { return nil }
    count = Int(number * factor)
  }
}

extension ByteCount: CustomStringConvertible {
  var description: String { "\(Quantity(amount: Double(count), unit: "B"))" }
}

extension ByteCount {
  /// Memory that can be used without taking memory from other programs; nil if the system does not report this amount.
  /// On systems other than Linux, this is the whole memory of the machine.
  static var free: ByteCount? {
    #if os(Linux)
      guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8) else { return nil }
      let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
      guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
      // The limit of a container or a systemd unit may be less than the memory of the machine.
      let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
      let limits = memoryLimitFiles(ofGroups: groups).compactMap { path in
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
          Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
      }
      return ByteCount(min(kibibytes << 10, limits.min() ?? .max))
    #else
      return ByteCount(Int(clamping: ProcessInfo.processInfo.physicalMemory))
    #endif
  }

  /// Returns the files with the limits on the memory of a Linux process. All these limits apply: the limit of the
  /// process's own control group, and the limits of all groups that contain this group. In a container, only the
  /// container's own group is visible, and it appears as the root of the groups.
  ///
  /// - Parameter groups: Text of `/proc/self/cgroup`; see cgroups(7).
  static func memoryLimitFiles(ofGroups groups: String) -> [String] {
    groups.split(separator: "\n").flatMap { line -> [String] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let isSecondVersion = fields[0] == "0" && fields[1].isEmpty
      guard isSecondVersion || fields[1].split(separator: ",").contains("memory") else { return [] }
      let root = isSecondVersion ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let names = fields[2].split(separator: "/")
      return (0...names.count).map { depth in
        ([root] + names[..<depth].map(String.init)).joined(separator: "/")
          + (isSecondVersion ? "/memory.max" : "/memory.limit_in_bytes")
      }
    }
  }
}
