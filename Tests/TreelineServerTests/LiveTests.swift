import Foundation
import Hummingbird
import NIOCore
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineServer

/// Changes live indexes without a socket. In `Tests/ServerTests`, `test_live.py` kills servers, and `test_live_log.py`
/// tests their logs.
@Suite struct LiveTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)")

  /// Returns a client of a server with a live index of a hundred points.
  private func client(
    token: String? = "secret",
    keys: IndexColumn = IndexColumn(name: "id", kind: .number) { .number("\($0)") }
  ) throws -> TestClient {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("fleet.treeline").path
    let tree = try ClusterTree((0..<100).map { Coordinate(longitude: Double($0 % 10), latitude: Double($0 / 10)) })
    try tree.write(toFile: path, columns: [keys])
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
    let index = try await client.get("/v1/fleet").json()
    #expect(index["key"] as? String == "id")
  }

  /// All times of a column are stored with the same number of decimals. A batch must not be accepted if the column
  /// could not be stored afterwards.
  @Test func timesThatTheColumnCannotHoldAreRefused() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("fleet.treeline").path
    let tree = try ClusterTree((0..<100).map { Coordinate(longitude: Double($0 % 10), latitude: Double($0 / 10)) })
    let until = IndexColumn(name: "until", kind: .time) { .string($0 == 7 ? "9999-12-31" : "2026-11-27T10:00:00Z") }
    try tree.write(toFile: path, columns: [IndexColumn(name: "id", kind: .number) { .number("\($0)") }, until])
    func opened(_ path: String) throws -> TestClient {
      let catalog = try Catalog([], live: [LiveIndex(name: "fleet", path: path, key: "id")])
      var options = ServerOptions()
      options.writeToken = "secret"
      return TestClient(responder: try ClusterServer(catalog, options: options).responder)
    }
    func line(_ id: Int, _ time: String) -> String {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,4]},"properties":{"id":\#(id),"until":\#(time)}}"#
    }
    let client = try opened(path)
    for (number, time) in [
      "\"2026-11-27T10:00:00.123456789Z\"", "\"2026-11-27T10:00:00.12345678Z\"", "-9223372036854775808",
      "9223372036854775807", "\"9999-12-30\"", "\"1600-01-01\"",
    ].enumerated() {
      let answer = try await change(client, line(200 + number, time), id: "bad\(number)")
      #expect(answer.status == .unprocessableContent, "\(time): \(String(buffer: answer.body))")
    }
    let text = try await change(client, line(200, "\"2026-11-27T10:00:00.123456789Z\""), id: "c").json()["detail"]
    #expect((text as? String)?.contains("seconds with at most 7 decimals") ?? false, "\(String(describing: text))")
    #expect(try await change(client, line(200, "\"2026-11-27T10:00:00.1234567Z\""), id: "a").status == .ok)
    #expect(try await change(client, line(201, "\"2255-01-01T00:00:00Z\""), id: "b").status == .ok)
    // The log can be applied again, here to a copy, because the server has locked the file.
    let copy = folder.appendingPathComponent("copy.treeline").path
    for end in ["", ".log"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
    let again = try await change(try opened(copy), line(202, "\"2026-11-27T10:00:00.1Z\""), id: "d")
    #expect(again.status == .ok, "\(String(buffer: again.body))")
  }

  @Test func aKeyIsTheSameHoweverItIsWritten() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client()
    for (number, key) in ["5.0", "1e1", "0.20e2", "-0"].enumerated() {
      let answer = try await change(client, "{\"remove\":\(key)}", id: "\(number)").json()
      #expect(answer["removed"] as? Int == 1, "\(key)")
    }
    for key in ["1e-1", "99999999999999999999", "1e400"] {
      #expect(try await change(client, "{\"remove\":\(key)}", id: key).status == .unprocessableContent, "\(key)")
    }
  }

  @Test func textsThatAreCanonicallyEquivalentAreOneKey() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client(keys: IndexColumn(name: "id", kind: .text) { .string("caf\u{E9} \($0)") })
    let answer = try await change(client, "{\"remove\":\"cafe\\u0301 7\"}\n{\"remove\":\"cafe 7\"}", id: "a")
    #expect(try answer.json()["removed"] as? Int == 1)
  }

  @Test(arguments: [
    ("foo", "found foo"), ("{\"remove\":fals}", "found fals}"),
    ("{\"remove\":7,\"remove\":8}", "expected each member once, found \"remove\" twice"),
    ("{\"remove\":5,\"x\":1}", "expected a removal with only the member \"remove\", found \"x\""),
    ("{\"x\":1,\"remove\":5}", "expected a removal with only the member \"remove\", found \"x\""),
    ("{\"x\":1}", "expected a Feature, found an object without"),
    (
      "{\"remove\":9223372036854775808}",
      "expected a key that is a whole number from -9223372036854775807 to 9223372036854775807, in \"id\", found 9223"
    ),
    ("{\"remove\":1e30}", "a whole number from -9223372036854775807 to"),
    // A column cannot store the least and the greatest 64-bit integer together.
    ("{\"remove\":-9223372036854775808}", "a whole number from -9223372036854775807 to"),
    ("{\"remove\":\"a\"}", "expected a key that is a whole number, in \"id\", found \"a\""),
  ]) func invalidLinesAreToldInWords(_ line: String, _ words: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let answer = try await change(try client(), line, id: "a")
    let detail = try answer.json()["detail"] as? String
    #expect(answer.status == .unprocessableContent && detail?.contains(words) ?? false, "\(detail ?? "none")")
  }

  @Test func aBatchInAnotherEncodingIsRefused() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client()
    for (charset, status) in [("iso-8859-1", HTTPResponse.Status.unsupportedMediaType), ("\"UTF-8\"", .ok)] {
      let answer = try await client.execute(
        uri: "/v1/fleet/points", method: .patch,
        headers: [
          .authorization: "Bearer secret", .contentType: "application/x-ndjson; charset=\(charset)",
          .idempotencyKey: "a",
        ], body: ByteBuffer(string: "{\"remove\":1}"))
      #expect(answer.status == status)
    }
  }

  @Test func aCompressedBatchIsRefused() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client()
    for (encoding, status) in [("gzip", HTTPResponse.Status.unsupportedMediaType), ("identity", .ok)] {
      let answer = try await client.execute(
        uri: "/v1/fleet/points", method: .patch,
        headers: [
          .authorization: "Bearer secret", .contentType: "application/x-ndjson", .idempotencyKey: "a",
          .contentEncoding: encoding,
        ], body: ByteBuffer(string: "{\"remove\":1}"))
      #expect(answer.status == status)
    }
  }

  @Test func mapsAreHurriedForAWhileAfterABatchHasWaited() {
    var pace = MapPace()
    let now = ContinuousClock.now
    pace.publish(after: .milliseconds(1900), at: now)
    #expect(!pace.isHurried(at: now))
    pace.publish(after: .milliseconds(2100), at: now)
    pace.publish(after: .milliseconds(100), at: now + .seconds(5))
    #expect(pace.isHurried(at: now + .seconds(9)) && !pace.isHurried(at: now + .seconds(11)))
    // A thread that had a core for itself rests as long as it worked. Another thread has rested already.
    #expect(
      MapPace.rest(after: .milliseconds(20), processorTime: .milliseconds(20), isHurried: true) == .milliseconds(20))
    #expect(MapPace.rest(after: .milliseconds(60), processorTime: .milliseconds(20), isHurried: true) == .zero)
    #expect(
      MapPace.rest(after: .milliseconds(60), processorTime: .milliseconds(20), isHurried: false) == .milliseconds(60))
    #expect(MapPace.rest(after: .seconds(9), processorTime: .seconds(9), isHurried: true) == .seconds(1))
  }
}
