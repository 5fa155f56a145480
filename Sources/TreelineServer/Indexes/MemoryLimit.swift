import Foundation

/// The memory that a process may use.
enum MemoryLimit {
  /// Returns the smallest limit of the control group of this process and of the groups around it, in bytes, or `nil`
  /// without a limit. Only version 2 of control groups is supported.
  ///
  /// - Parameters:
  ///   - membership: File in which the kernel names the group.
  ///   - groups: Folder of all groups. In a container it is often the folder of the container's own group, although the
  ///     name of the group begins further up; so groups that are not found there are skipped.
  static func ofControlGroup(membership: String = "/proc/self/cgroup", groups: String = "/sys/fs/cgroup") -> UInt64? {
    // Version 2 has a single line, such as '0::/system.slice/treelinemap-server.service'.
    let lines = try? String(contentsOfFile: membership, encoding: .utf8).split(separator: "\n")
    guard let line = lines?.first(where: { $0.hasPrefix("0::/") }) else { return nil }
    var names = line.dropFirst("0::/".count).split(separator: "/")
    // A group outside the namespace of the process is named '/../other'.
    if names.contains("..") { names = [] }
    var limits: [UInt64] = []
    while true {
      let path = ([Substring(groups)] + names + ["memory.max"]).joined(separator: "/")
      // The file says 'max' if there is no limit.
      if let text = try? String(contentsOfFile: path, encoding: .utf8),
        let limit = UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
      {
        limits.append(limit)
      }
      if names.popLast() == nil { return limits.min() }
    }
  }
}
