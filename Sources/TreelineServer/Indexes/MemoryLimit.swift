import Foundation

/// The memory that a process may use.
enum MemoryLimit {
  /// Returns the memory limit of this process, in bytes. The process's control group can have a limit, and so can each
  /// group that contains this group. The least of these limits is returned; nil if there is no limit. Only version 2
  /// of control groups is supported.
  ///
  /// - Parameters:
  ///   - membership: File in which the kernel names the control group of the process.
  ///   - groups: Folder of all control groups. In a container, this folder often is the folder of the container's own
  ///     group. The name of the process's group may then begin with the names of outer groups. The outer groups are
  ///     not in this folder, so they are skipped.
  static func ofControlGroup(membership: String = "/proc/self/cgroup", groups: String = "/sys/fs/cgroup") -> UInt64? {
    // The line for version 2 of control groups begins with '0::', as in '0::/system.slice/treelinemap-server.service'.
    let lines = try? String(contentsOfFile: membership, encoding: .utf8).split(separator: "\n")
    guard let line = lines?.first(where: { $0.hasPrefix("0::/") }) else { return nil }
    var names = line.dropFirst("0::/".count).split(separator: "/")
    // If the control group is outside the namespace of the process, the group's name contains '..', as in '/../other'.
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
