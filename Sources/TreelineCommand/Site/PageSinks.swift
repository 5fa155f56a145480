import Foundation
import Treeline
import TreelineBuilder
import TreelinePages

/// Writes each page to a file of its own, which is named by its checksum.
final class PageFolder: PageSink {
  private let folder: URL
  private(set) var names: Set<String> = []
  private(set) var byteCount: UInt64 = 0
  var fileCount: Int { names.count }

  /// - Parameter site: The folder of the manifest.
  init(site: String) throws {
    folder = URL(fileURLWithPath: site).appendingPathComponent(PageManifest.folderName)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func append(_ page: [UInt8]) throws -> PageReference {
    let reference = PageReference(
      checksum: page.withUnsafeBytes { XXHash64.hash($0) }, offset: 0, length: UInt32(page.count))
    guard names.insert(reference.fileName).inserted else { return reference }
    byteCount += UInt64(page.count)
    let file = folder.appendingPathComponent(reference.fileName)
    let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    if size != page.count { try Data(page).write(to: file, options: .atomic) }
    return reference
  }

  func finish() -> String? { nil }

  /// Removes the pages of earlier versions, which only pages in browsers that opened them still ask for.
  func removeOthers() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".page") && !names.contains(name) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}

/// Writes all pages to one file, for object stores. Browsers ask for ranges of its bytes.
final class PageFile: PageSink {
  private let folder: URL
  private let file: AtomicFile
  private let partialPath: String
  private var hasher = XXHash64()
  private(set) var byteCount: UInt64 = 0
  let fileCount = 1

  init(site: String) throws {
    folder = URL(fileURLWithPath: site)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    partialPath = folder.appendingPathComponent("unfinished.pages").path
    file = try AtomicFile(path: partialPath, beginning: [])
  }

  /// The path of the unfinished file, which an interrupted program should remove.
  var unfinishedPath: String { file.partialPath }

  func append(_ page: [UInt8]) throws -> PageReference {
    let checksum = page.withUnsafeBytes { XXHash64.hash($0) }
    let reference = PageReference(checksum: checksum, offset: byteCount, length: UInt32(page.count))
    try page.withUnsafeBytes { bytes in
      hasher.update(bytes)
      try file.write(bytes, at: byteCount)
    }
    byteCount += UInt64(page.count)
    return reference
  }

  func finish() throws -> String? {
    try file.finish()
    let name = hexadecimal(hasher.finalize()) + ".pages"
    let target = folder.appendingPathComponent(name)
    guard rename(partialPath, target.path) == 0 else { throw PageError("\(target.path): cannot rename \(partialPath)") }
    return name
  }
}
