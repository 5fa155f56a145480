import Foundation

/// The repository's files.
public enum Repository {
  public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  public static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }

  public static func bytes(_ relative: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appendingPathComponent(relative)))
  }

  public static func files(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
  }
}
