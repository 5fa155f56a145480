import CLibrary
import Treeline
import TreelineBuilder

/// A folder whose files appear under their names only when they are complete.
struct SiteFolder {
  let path: String

  /// Creates the folder and its parent folders, if they do not exist.
  init(_ path: String) throws(IndexWritingError) {
    self.path = path
    try FilePath.check(path)
    var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
    ends.append(path.endIndex)
    var reason = Int32(0)
    for end in ends where mkdir(String(path[..<end]), 0o777) != 0 && errno != EEXIST && reason == 0 { reason = errno }
    var status = stat()
    let exists = stat(path, &status) == 0
    guard exists, status.st_mode & S_IFMT == S_IFDIR else {
      throw Self.failure(
        path, "make this folder",
        reason: exists ? "it is a file" : String(cString: strerror(reason == 0 ? ENOENT : reason)))
    }
  }

  /// Writes a file. An existing file is replaced.
  func write(_ bytes: [UInt8], to name: String) throws(IndexWritingError) {
    let (target, partial) = ("\(path)/\(name)", "\(path)/.\(name).partial")
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw Self.failure(target, "write it") }
    let isWritten = bytes.withUnsafeBytes { writeFully($0, to: descriptor, at: 0) }
    let isClosed = close(descriptor) == 0
    guard isClosed, isWritten, rename(partial, target) == 0 else {
      let failure = Self.failure(target, "write it")
      unlink(partial)
      throw failure
    }
  }

  func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }

  /// Whether a file has the given content.
  func holds(_ bytes: [UInt8], in name: String) -> Bool {
    let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes.count else {
      return false
    }
    var done = 0
    var block = [UInt8](repeating: 0, count: min(bytes.count, 1 << 18))
    while done < bytes.count {
      let count = read(descriptor, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0, block[..<count].elementsEqual(bytes[done..<done + count]) else { return false }
      done += count
    }
    return true
  }

  /// Removes the pages of earlier versions. Browsers request such a page only for a map that was opened before this
  /// version was written.
  ///
  /// - Parameters:
  ///   - pages: Names of the files in the folder of pages that are still needed.
  ///   - file: Name of the file of all pages; nil if there is no such file.
  func removePages(except pages: Set<String>, and file: String?) throws(IndexWritingError) {
    try remove(in: path) { Self.isChecksum($0, "pages") && $0 != file }
    try remove(in: "\(path)/\(PageManifest.folderName)") { Self.isChecksum($0, "page") && !pages.contains($0) }
  }

  private static func isChecksum(_ name: String, _ suffix: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[1] == suffix && parts[0].utf8.count == 16 && parts[0].allSatisfy(\.isHexDigit)
  }

  private func remove(in folder: String, _ isOld: (String) -> Bool) throws(IndexWritingError) {
    guard let entries = opendir(folder) else {
      if errno == ENOENT { return }
      throw Self.failure(folder, "list its files")
    }
    var found: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if isOld(name) { found.append(name) }
    }
    closedir(entries)
    for name in found where unlink("\(folder)/\(name)") != 0 { throw Self.failure("\(folder)/\(name)", "remove it") }
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
      // An existing file may be damaged.
      if !folder.holds(bytes, in: name) { try folder.write(bytes, to: name) }
    }
    return PageReference(file: checksum, fileLength: UInt32(bytes.count), offset: 0, length: UInt32(bytes.count))
  }

  func finish() -> String? { nil }
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
    // The first page is compressed by zlib at its highest level.
    file = try AtomicFile(path: completePath, beginning: [0x78, 0xDA])
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
