import Foundation
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineServer

@Suite struct CatalogTests {
  @Test func whatIsReplacedIsOpenedAnew() throws {
    let server = try TestServer()
    let old = try #require(server.catalog["places"])
    #expect(server.catalog.refresh().isEmpty)
    try TestServer.tree(seed: 2).write(index: server.path("places"), overwriting: true)
    #expect(server.catalog.refresh().count == 1)
    let new = try #require(server.catalog["places"])
    #expect(new.version != old.version && new !== old)
    #expect(server.catalog.refresh().isEmpty)
    // Who holds on to the old one has all of it.
    #expect(try old.tree.clusters(.limit(100), in: Viewport(.world)).count == 100)
    #expect(old.treeIndex(ofRow: 1999) != nil)
  }

  @Test func whatIsDamagedIsNotServed() throws {
    let server = try TestServer()
    let old = try #require(server.catalog["places"])
    let path = server.path("places")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path), options: .atomic)
    let change = try #require(server.catalog.refresh().first)
    if case .refused("places", let error) = change { #expect(error is IndexError) } else { Issue.record("\(change)") }
    // It is told once, and whenever somebody insists.
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

  @Test func whatIsNoIndexIsNotServed() throws {
    let server = try TestServer()
    #expect(throws: IndexError.self) { try Catalog([("a", server.path("missing"))]) }
    #expect(throws: IndexError.self) { try Catalog([("a", #filePath)]) }
  }
}
