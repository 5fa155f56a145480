import Foundation
import Hummingbird
import NIOPosix
import Synchronization
@_spi(Server) import TreelineFormats

/// The files of the viewer. A file is read when it is requested, and stays in memory until the file changes.
///
/// Hummingbird's `FileMiddleware` is not used, for three reasons. `FileMiddleware` computes entity tags only from size
/// and time. It reads a file again for each request. It cannot serve a compressed file, such as the land, under its
/// uncompressed name.
final class ViewerFiles: Sendable {
  private let folder: String
  private let kept = Mutex<[String: ViewerFile]>([:])
  /// A thread that only reads files, so that reading a file never waits for the computation of answers.
  private let thread = NIOThreadPool(numberOfThreads: 1)

  init(folder: String) {
    self.folder = folder
    thread.start()
  }

  deinit { thread.shutdownGracefully { _ in } }

  /// Reads a file on a separate thread.
  ///
  /// - Throws: The errors of `read(at:)`.
  func load(_ path: String) async throws -> ViewerFile {
    try await thread.runIfActive { [self] in try kept(at: path) ?? read(at: path) }
  }

  /// Returns a file from memory if it has not changed since it was read.
  func kept(at path: String) -> ViewerFile? {
    guard let file = kept.withLock({ $0[path] }), FileVersion(path: file.source) == file.version else { return nil }
    return file
  }

  /// Reads a file.
  ///
  /// - Parameter path: Path below the viewer's folder, as in the request.
  /// - Throws: `Problem` if there is no such file.
  func read(at path: String) throws -> ViewerFile {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // Refuses paths that lead out of the folder or to hidden files.
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else { throw Self.none }
    // If only a compressed file exists, it is served under its uncompressed name.
    for source in ["\(folder)/\(path)", "\(folder)/\(path).gz"] {
      guard let version = FileVersion(path: source), version.isRegular else { continue }
      let file = try read(source, named: path, version)
      kept.withLock { $0[path] = file }
      return file
    }
    throw Self.none
  }

  /// Returns whether a file begins with the signature of PMTiles 3.
  static func isArchive(at path: String) -> Bool {
    guard FileVersion(path: path)?.isRegular == true, let file = FileHandle(forReadingAtPath: path) else {
      return false
    }
    defer { try? file.close() }
    return (try? file.read(upToCount: 8)) == Data("PMTiles\u{3}".utf8)
  }

  /// Returns the requested bytes of a file of tiles (RFC 9110, section 14). The file may be larger than memory, so a
  /// request for more than `mostBytes` bytes is refused.
  func archive(at path: String, for request: HTTPRequest) async throws -> Response {
    guard let version = FileVersion(path: path), version.isRegular else { throw Self.none }
    let tag = "\"\(ContentHash.digits(of: "\(version)".utf8))\""
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache", .acceptRanges: "bytes"]
    headers[.contentType] = "application/vnd.pmtiles"
    let range: Range<Int>
    switch request.range(of: version.size, tag: tag) {
    case .part(let part): range = part
    case .all: range = 0..<version.size
    case .none: range = 0..<Int.max
    }
    guard range.count <= Self.mostBytes else {
      throw Problem(
        status: .rangeNotSatisfiable,
        detail: "The file has \(version.size) bytes; request a range of at most \(Self.mostBytes) bytes.",
        headers: [.contentRange: "bytes */\(version.size)"])
    }
    if request.method == .head {
      headers[.contentLength] = "\(range.count)"
      return Response(status: .ok, headers: headers)
    }
    let bytes = try await thread.runIfActive { () throws -> ByteBuffer in
      guard let file = FileHandle(forReadingAtPath: path) else { throw Self.none }
      defer { try? file.close() }
      try file.seek(toOffset: UInt64(range.lowerBound))
      return ByteBuffer(bytes: try file.read(upToCount: range.count) ?? Data())
    }
    guard range.count < version.size else {
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
    headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(version.size)"
    return Response(status: .partialContent, headers: headers, body: ResponseBody(byteBuffer: bytes))
  }

  private static let none = Problem.notFound("The viewer has no such file.")

  private func read(_ source: String, named path: String, _ version: FileVersion) throws -> ViewerFile {
    guard version.size <= Self.mostBytes else { throw Problem.notFound("The file is too large to be served.") }
    let type = Self.mediaType(ofPath: path)
    let isCompressed = source.hasSuffix(".gz") && !path.hasSuffix(".gz")
    let stored = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
    let plain = isCompressed ? try InputContents.read(path: source) : stored
    let compressed =
      isCompressed
      ? stored
      : Self.isText(type) && plain.count >= Gzip.leastLength
        ? plain.withUnsafeBytes { Gzip.compressed($0, level: 9) } : nil
    return ViewerFile(
      source: source, version: version, tag: plain.withUnsafeBytes { ContentHash.digits(of: $0) }, type: type,
      plain: ByteBuffer(bytes: plain), compressed: compressed.map { ByteBuffer(bytes: $0) })
  }

  private static let mostBytes = 64 << 20

  private static func mediaType(ofPath path: String) -> String {
    let name = path[(path.lastIndex(of: ".") ?? path.startIndex)...].dropFirst()
    switch (name, MediaType.getMediaType(forExtension: String(name))) {
    case ("geojson", _): return ContentType.geoJSON
    case ("map", _): return ContentType.json
    case (_, let type?) where type.type == .text: return type.withParameter(name: "charset", value: "utf-8").description
    case (_, let type): return type?.description ?? "application/octet-stream"
    }
  }

  /// Returns whether files of the given type become smaller when they are compressed.
  private static func isText(_ type: String) -> Bool {
    ["text/", "application/json", "application/geo+json", "image/svg"].contains { type.hasPrefix($0) }
  }
}

/// A file of the viewer, uncompressed and compressed.
struct ViewerFile: Sendable {
  let source: String
  let version: FileVersion
  let tag: String
  let type: String
  let plain: ByteBuffer
  /// The compressed bytes; nil for short files, and for types of files that compression does not make smaller.
  let compressed: ByteBuffer?

  /// Returns the file, or the requested part of it (RFC 9110, section 14). The response is compressed if the client
  /// accepts gzip.
  ///
  /// - Parameter frameAncestors: Origins whose pages may show the file in a frame. Pages of the server may always show
  ///   the file in a frame.
  func response(to request: HTTPRequest, frameAncestors: [String] = []) throws -> Response {
    let isCompressed = request.acceptsGzip && compressed != nil
    let tag = isCompressed ? "\"\(self.tag)-gzip\"" : "\"\(self.tag)\""
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache", .vary: "Accept-Encoding", .acceptRanges: "bytes"]
    if request.matches(tag: self.tag) || request.headerFields[.ifNoneMatch] == "*" {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = type
    if isCompressed { headers[.contentEncoding] = "gzip" }
    if type.hasPrefix("text/html") { headers[.contentSecurityPolicy] = Self.securityPolicy(frameAncestors) }
    let bytes = isCompressed ? compressed! : plain
    switch request.range(of: bytes.readableBytes, tag: tag) {
    case .all: return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.readableBytes)"
      let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)!
      return Response(status: .partialContent, headers: headers, body: ResponseBody(byteBuffer: part))
    case .none:
      throw Problem(
        status: .rangeNotSatisfiable,
        detail: "The requested range is not in the file, which has \(bytes.readableBytes) bytes.",
        headers: [.contentRange: "bytes */\(bytes.readableBytes)"])
    }
  }

  /// Returns a policy that allows only the viewer's own scripts and styles. The policy also allows workers from blobs,
  /// because MapLibre needs them. Map styles, tiles and images may come from any server, because a map style can be
  /// given by URL.
  private static func securityPolicy(_ frameAncestors: [String]) -> String {
    "default-src 'self'; script-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
      + "img-src 'self' data: blob: https:; connect-src 'self' https: http:; font-src 'self'; object-src 'none'; "
      + "base-uri 'none'; form-action 'self'; frame-ancestors \((["'self'"] + frameAncestors).joined(separator: " "))"
  }
}
