import Foundation
import NIOPosix
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineServer

@Suite struct CatalogTests {
  @Test func whatIsReplacedIsOpenedAnew() throws {
    let server = try TestServer()
    let old = try #require(server.catalog["places"])
    #expect(server.catalog.refresh().isEmpty)
    try TestServer.tree(seed: 2).write(toFile: server.path("places"), overwriting: true)
    #expect(server.catalog.refresh().count == 1)
    let new = try #require(server.catalog["places"])
    #expect(new.version != old.version && new !== old)
    #expect(server.catalog.refresh().isEmpty)
    // Whoever still uses the old index can read all of it.
    #expect(try old.tree.clusters(.limit(100), in: Viewport(.world)).count == 100)
    #expect(old.treeIndex(ofRow: 1999) != nil)
  }

  @Test func namesKeepTheOrderOfTheFiles() throws {
    let server = try TestServer()
    let path = server.path("places")
    let names = ["towns", "airports", "cities"]
    #expect(try Catalog(names.map { ($0, path) }).names == names)
  }

  @Test func whatIsReplacedIsAnnounced() async throws {
    let server = try TestServer()
    let versions = try #require(server.catalog.versions(of: "places"))
    var announced = versions.stream(for: .seconds(60)).makeAsyncIterator()
    let old = try #require(server.catalog["places"])
    #expect(await announced.next() === old)
    try TestServer.tree(seed: 2).write(toFile: server.path("places"), overwriting: true)
    #expect(server.catalog.refresh().count == 1)
    let new = try #require(server.catalog["places"])
    #expect(await announced.next() === new && new !== old)
    server.catalog.stopEvents()
    #expect(await announced.next() == nil)
  }

  /// A stream of a client that has closed its connection must not stay until the next version.
  @Test func announcementsEndWithTheConnection() async throws {
    let server = try TestServer()
    let versions = try #require(server.catalog.versions(of: "places"))
    let closed = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    var announced = versions.stream(for: .seconds(3600), orUntil: closed.futureResult).makeAsyncIterator()
    #expect(await announced.next() === versions.newest)
    closed.succeed()
    #expect(await announced.next() == nil)
  }

  @Test func whatIsDamagedIsNotServed() throws {
    let server = try TestServer()
    let old = try #require(server.catalog["places"])
    let path = server.path("places")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path), options: .atomic)
    let change = try #require(server.catalog.refresh().first)
    if case .refused("places", let error) = change { #expect(error is IndexError) } else { Issue.record("\(change)") }
    // The refusal is reported only once, and again only if a refresh is forced.
    #expect(server.catalog.refresh().isEmpty)
    #expect(server.catalog.refresh(isForced: true).count == 1)
    #expect(server.catalog["places"] === old)
    try FileManager.default.removeItem(atPath: path)
    #expect(server.catalog.refresh().isEmpty)
    #expect(server.catalog["places"] === old)
    try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
    #expect(server.catalog.refresh().count == 1)
    #expect(server.catalog["places"]?.version == old.version)
  }

  /// If `cp` copies a file over an index, it writes into the same file. If the file were mapped, the mapping would
  /// change, too.
  @Test func whatIsWrittenOverIsReadAnew() throws {
    let server = try TestServer()
    let (old, path) = (try #require(server.catalog["places"]), server.path("places"))
    #expect(old.residence == .memory)
    let (bytes, all) = (try Data(contentsOf: URL(fileURLWithPath: path)), Viewport(.world))
    let answer = try old.tree.clusters(.limit(100), in: all).map(\.id)
    try TestServer.tree(seed: 2).write(toFile: server.path("other"))
    let other = try Data(contentsOf: URL(fileURLWithPath: server.path("other")))
    func overwrite(_ data: Data) throws {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: data)
      try file.close()
    }
    // Tests a truncated file, a file with a changed byte behind the same header, and an empty file.
    var forged = bytes
    forged[forged.count / 2] ^= 1
    for broken in [bytes.prefix(bytes.count / 2), forged, Data()] {
      try overwrite(broken)
      guard case .refused? = server.catalog.refresh().first else { throw IndexError.notAnIndex(path: path, found: "") }
      #expect(server.catalog["places"] === old)
      #expect(try old.tree.clusters(.limit(100), in: all).map(\.id) == answer)
    }
    try overwrite(other)
    #expect(server.catalog.refresh().count == 1)
    #expect(server.catalog["places"]?.version != old.version)
    #expect(try old.tree.clusters(.limit(100), in: all).map(\.id) == answer)
  }

  /// If a file is written again within a tick of the file system's clock, its times do not change. Checks that the file
  /// is read once more nevertheless.
  @Test func aFileIsReadOnceMoreThanItsTimesTell() throws {
    let server = try TestServer()
    let path = server.path("places")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(1000).write(to: URL(fileURLWithPath: path))
    #expect(server.catalog.refresh().count == 1)
    Thread.sleep(forTimeInterval: 0.2)
    // The file is still refused. This has already been reported.
    #expect(server.catalog.refresh().isEmpty)
  }

  @Test func whatIsNoFileIsNotServed() throws {
    let server = try TestServer()
    let (old, path) = (try #require(server.catalog["places"]), server.path("places"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard case .refused? = server.catalog.refresh().first else { throw IndexError.notAnIndex(path: path, found: "") }
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    guard case .refused? = server.catalog.refresh().first else { throw IndexError.notAnIndex(path: path, found: "") }
    #expect(server.catalog["places"] === old)
    #expect(throws: (any Error).self) { try Catalog([("pipe", path)]) }
  }

  /// An index that is larger than the bound is not copied to memory. Checks that it is withdrawn when its file is
  /// changed.
  @Test func whatIsTooLargeForMemoryIsMapped() async throws {
    let server = try TestServer(["places": TestServer.places, "plane": TestServer.plane])
    let path = server.path("places")
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    let sources = [(name: "places", path: path), (name: "plane", path: server.path("plane"))]
    let catalog = try Catalog(sources, residentBytes: size - 1)
    let old = try #require(catalog["places"])
    #expect(old.residence == .file && catalog["plane"]?.residence == .memory)
    #expect(catalog.check().isEmpty && catalog.refresh().isEmpty)
    // Changes a byte of the file. The header and the length stay the same.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(size / 2))
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: UInt64(size / 2))
    try file.write(contentsOf: [byte ^ 1])
    guard case .refused? = catalog.refresh().first else { throw IndexError.notAnIndex(path: path, found: "") }
    #expect(old.isDamaged)
    let client = TestClient(responder: try ClusterServer(catalog).responder)
    let answer = try await client.get("/v1/places")
    #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "1")
    #expect(try await client.get("/v1/plane").status == .ok)
    try file.seek(toOffset: UInt64(size / 2))
    try file.write(contentsOf: [byte])
    #expect(catalog.refresh().count == 1)
    // The version is the same, but the entity tag is new, because answers that were sent meanwhile may have been wrong.
    #expect(catalog["places"]?.version == old.version && catalog["places"]?.tag != old.tag)
    #expect(try await client.get("/v1/places").status == .ok)
  }

  @Test func whatIsNoIndexIsNotServed() throws {
    let server = try TestServer()
    #expect(throws: IndexError.self) { try Catalog([("a", server.path("missing"))]) }
    #expect(throws: IndexError.self) { try Catalog([("a", #filePath)]) }
  }
}
