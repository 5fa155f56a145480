import Foundation
import Hummingbird
import NIOCore
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineServer

/// Changes live indexes without a socket. `Tests/ServerTests/test_live.py` tests their logs, and kills servers.
@Suite struct LiveTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)")

  /// Returns a client of a server with a live index of a hundred points.
  private func client(token: String? = "secret") throws -> TestClient {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("fleet.treeline").path
    let tree = try ClusterTree((0..<100).map { Coordinate(longitude: Double($0 % 10), latitude: Double($0 / 10)) })
    try tree.write(index: path, columns: [IndexColumn(name: "id", kind: .number) { .number("\($0)") }])
    let catalog = try Catalog([], live: [LiveIndex(name: "fleet", path: path, key: "id")])
    var options = ServerOptions()
    options.writeToken = token
    return TestClient(responder: try ClusterServer(catalog, options: options).responder)
  }

  private func change(_ client: TestClient, _ lines: String, id: String, token: String = "secret") async throws
    -> TestAnswer
  {
    try await client.execute(
      uri: "/v1/fleet/points", method: .patch,
      headers: [
        .authorization: "Bearer \(token)", .contentType: "application/x-ndjson", .idempotencyKey: id,
      ], body: ByteBuffer(string: lines))
  }

  @Test func aBatchIsAppliedOnceAndABadBatchNotAtAll() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client()
    #expect(try await change(client, "{\"remove\":1}", id: "a", token: "other").status == .unauthorized)
    for _ in 0..<2 {
      let answer = try await change(client, "{\"remove\":1}\n{\"remove\":500}\n", id: "a")
      #expect(answer.status == .ok)
      #expect(String(buffer: answer.body) == "{\"inserted\":0,\"removed\":1,\"replaced\":0,\"sequence\":1}\n")
    }
    let bad = try await change(client, "{\"remove\":2}\n\n{\"remove\":[]}\n", id: "b")
    #expect(bad.status == .unprocessableContent)
    #expect(try (bad.json()["detail"] as? String)?.contains("line 3: expected a key") ?? false)
    #expect(try await change(client, "{\"remove\":3}", id: "a").status == .unprocessableContent)
    #expect(try await change(client, "{\"remove\":3}", id: "c").json()["sequence"] as? Int == 2)
  }
}
