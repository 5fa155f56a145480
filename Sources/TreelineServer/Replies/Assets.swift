import Foundation
import HTTPTypes
import NIOCore
import Synchronization
@_spi(Server) import TreelineFormats

/// The files of the viewer, read when they are asked for and kept until they change.
final class Assets: Sendable {
  private let folder: String
  private let kept = Mutex<[String: Asset]>([:])

  /// What a path has, plain and compressed.
  private struct Asset {
    let mark: FileMark
    let tag: String
    let type: String
    let plain: ByteBuffer
    /// nil where it is not smaller.
    let compressed: ByteBuffer?
  }

  init(folder: String) {
    self.folder = folder
  }

  /// - Parameter path: Below the folder, as the request has it.
  /// - Throws: `Problem` where there is no such file.
  func reply(to request: HTTPRequest, path: String) throws -> Reply {
    guard let asset = try asset(at: path) else { throw Problem.notFound("The viewer has no such file.") }
    let isCompressed = request.acceptsGzip && asset.compressed != nil
    let tag = isCompressed ? "\"\(asset.tag)-gzip\"" : "\"\(asset.tag)\""
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache", .vary: "Accept-Encoding"]
    if request.names(tag: asset.tag) || request.headerFields[.ifNoneMatch] == "*" {
      return Reply(status: .notModified, headers: headers)
    }
    headers[.contentType] = asset.type
    if isCompressed { headers[.contentEncoding] = "gzip" }
    if asset.type.hasPrefix("text/html") { headers[.contentSecurityPolicy] = Self.securityPolicy }
    return Reply(
      status: .ok, headers: headers, body: isCompressed ? asset.compressed! : asset.plain)
  }

  /// Scripts and styles are the viewer's own. MapLibre works in a worker made of a blob; a map style given by its URL may
  /// come, with its tiles and pictures, from anywhere.
  private static let securityPolicy =
    "default-src 'self'; script-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    + "img-src 'self' data: blob: https:; connect-src 'self' https: http:; font-src 'self'; object-src 'none'; "
    + "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

  private func asset(at path: String) throws -> Asset? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // No way out of the folder, and nothing that is hidden in it.
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else { return nil }
    let file = folder + "/" + path
    // What is kept compressed only is served under the name of what it is.
    for source in [file, file + ".gz"] {
      guard let mark = FileMark(path: source) else { continue }
      if let asset = kept.withLock({ $0[path] }), asset.mark == mark { return asset }
      let asset = try read(source, named: path, mark)
      kept.withLock { $0[path] = asset }
      return asset
    }
    return nil
  }

  private func read(_ source: String, named path: String, _ mark: FileMark) throws -> Asset {
    guard mark.size <= Self.mostBytes else { throw Problem.notFound("The viewer has no file so large.") }
    let type = MediaTypes.type(ofPath: path)
    let isCompressed = source.hasSuffix(".gz") && !path.hasSuffix(".gz")
    let stored = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
    let plain = isCompressed ? try InputContents.read(path: source) : stored
    let compressed =
      isCompressed
      ? stored
      : MediaTypes.isText(type) && plain.count >= Gzip.leastLength
        ? plain.withUnsafeBytes { Gzip.compressed($0, level: 9) } : nil
    return Asset(
      mark: mark, tag: plain.withUnsafeBytes { QuestionHash.digits(of: $0) }, type: type,
      plain: ByteBuffer(bytes: plain),
      compressed: compressed.map { ByteBuffer(bytes: $0) })
  }

  private static let mostBytes = 64 << 20
}
