import CLibrary
import Treeline
import TreelineBuilder

/// A folder whose files appear under their names only when they are complete.
package struct SiteFolder {
  package let path: String

  /// Creates the folder and its parent folders, if they do not exist.
  package init(_ path: String) throws(IndexWritingError) {
    self.path = path
    var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
    ends.append(path.endIndex)
    for end in ends { mkdir(String(path[..<end]), 0o777) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Self.failure(path, "make this folder", reason: errno == 0 || errno == EEXIST ? "it is a file" : nil)
    }
  }

  /// Writes a file. An existing file is replaced.
  package func write(_ bytes: [UInt8], to name: String) throws(IndexWritingError) {
    let (target, partial) = ("\(path)/\(name)", "\(path)/.\(name).partial")
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw Self.failure(target, "write it") }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        CLibrary.write(descriptor, $0.baseAddress! + written, $0.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      written += count
    }
    let isClosed = close(descriptor) == 0
    guard isClosed, written == bytes.count, rename(partial, target) == 0 else {
      let failure = Self.failure(target, "write it")
      unlink(partial)
      throw failure
    }
  }

  /// Returns the length of a file; nil if there is no such file.
  func length(of name: String) -> Int? {
    var status = stat()
    return stat("\(path)/\(name)", &status) == 0 ? Int(status.st_size) : nil
  }

  static func failure(_ path: String, _ action: String, reason: String? = nil) -> IndexWritingError {
    .failed(path: path, action: action, reason: reason ?? String(cString: strerror(errno)))
  }
}

/// Writes pages to files, which are named by their checksums.
final class PageFolder: PageSink {
  private let folder: SiteFolder
  private(set) var names: Set<String> = []
  private(set) var byteCount: UInt64 = 0
  var fileCount: Int { names.count }

  /// - Parameter site: The folder of the manifest.
  init(site: String) throws { folder = try SiteFolder("\(site)/\(PageManifest.folderName)") }

  func append(_ pages: [[UInt8]]) throws -> PageReference {
    let bytes = pages.count == 1 ? pages[0] : Array(pages.joined())
    let checksum = bytes.withUnsafeBytes { XXHash64.hash($0) }
    let name = PageReference.fileName(checksum)
    if names.insert(name).inserted {
      byteCount += UInt64(bytes.count)
      if folder.length(of: name) != bytes.count { try folder.write(bytes, to: name) }
    }
    return PageReference(file: checksum, fileLength: UInt32(bytes.count), offset: 0, length: UInt32(bytes.count))
  }

  func finish() -> String? { nil }

  /// Removes the pages of earlier versions. Browsers request such a page only for a map that was opened before this
  /// version was written.
  func removeOthers() throws {
    guard let entries = opendir(folder.path) else { throw SiteFolder.failure(folder.path, "list its files") }
    var found: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".page") && !names.contains(name) { found.append(name) }
    }
    closedir(entries)
    for name in found where unlink("\(folder.path)/\(name)") != 0 {
      throw SiteFolder.failure("\(folder.path)/\(name)", "remove it")
    }
  }
}

/// Writes all pages to one file, for object stores. Browsers request byte ranges of this file.
final class PageFile: PageSink {
  private let site: String
  private let file: AtomicFile
  private let completePath: String
  private var hasher = XXHash64()
  private(set) var byteCount: UInt64 = 0
  let fileCount = 1

  init(site: String) throws {
    self.site = try SiteFolder(site).path
    completePath = "\(site)/unfinished.pages"
    file = try AtomicFile(path: completePath, beginning: [])
  }

  /// The path of the unfinished file. If the program is interrupted, the program should remove this file.
  var unfinishedPath: String { file.partialPath }

  func append(_ pages: [[UInt8]]) throws -> PageReference {
    let start = byteCount
    for page in pages {
      try page.withUnsafeBytes { bytes in
        hasher.update(bytes)
        try file.write(bytes, at: byteCount)
      }
      byteCount += UInt64(page.count)
    }
    return PageReference(file: nil, fileLength: 0, offset: start, length: UInt32(byteCount - start))
  }

  func finish() throws -> String? {
    try file.finish()
    let name = hexadecimal(hasher.finalize()) + ".pages"
    guard rename(completePath, "\(site)/\(name)") == 0 else {
      throw SiteFolder.failure("\(site)/\(name)", "rename \(completePath)")
    }
    return name
  }
}
