import HTTPTypes
import Testing

@testable import TreelineServer

/// Checks the address of the client. It follows from the connection and from the headers of proxies.
@Suite struct ClientTests {
  private static let proxies = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap(IPAddress.Range.init)

  private static func client(from peer: String, _ headers: HTTPFields) -> Client {
    let request = HTTPRequest(
      method: .get, scheme: "http", authority: "inside:8080", path: "/", headerFields: headers)
    return Client(of: request, from: IPAddress(peer), trusting: proxies)
  }

  @Test(arguments: [
    (HTTPField.Name.xForwardedFor, "198.51.100.7"), (.xForwardedFor, "9.9.9.9, 198.51.100.7, 10.1.2.3"),
    (.forwarded, "for=198.51.100.7"), (.forwarded, "for=9.9.9.9, for=\"198.51.100.7:4711\";proto=https, for=10.0.0.1"),
  ]) func theClientIsWhoeverNoProxyIs(_ name: HTTPField.Name, _ value: String) {
    #expect(Self.client(from: "127.0.0.1", [name: value]).address == IPAddress("198.51.100.7"))
    // Headers count only if they come from a trusted proxy.
    #expect(Self.client(from: "192.0.2.1", [name: value]).address == IPAddress("192.0.2.1"))
  }

  @Test func theAddressOfTheServerIsAsProxiesSay() {
    let old: HTTPFields = [.xForwardedFor: "198.51.100.7", .xForwardedProto: "https", .xForwardedHost: "a.org"]
    let new: HTTPFields = [.forwarded: "for=\"[2001:db8::1]:80\";Proto=https;host=\"a.org\""]
    for headers in [old, new] {
      #expect(Self.client(from: "10.9.9.9", headers).root == "https://a.org")
      #expect(Self.client(from: "11.9.9.9", headers).root == "http://inside:8080")
    }
    #expect(Self.client(from: "fd00::1", new).address == IPAddress("2001:db8::1"))
    let odd: HTTPFields = [.xForwardedProto: "javascript", .xForwardedHost: "a.org/<b>"]
    #expect(Self.client(from: "127.0.0.1", odd).root == "http://inside:8080")
  }

  @Test(arguments: [
    ("example.org", true), ("example.org:8080", true), ("127.0.0.1", true), ("[::1]:80", true), ("", true),
    ("a b", false), ("a/b", false), ("<x>", false), ("a:b", false), ("a:99999", false), ("[::1", false), ("[x]", false),
    ("a@b", false), ("a,b", false), ("é", false),
  ]) func hostsAreNamesOrAddresses(_ host: String, _ isValid: Bool) { #expect(Authority.isValid(host) == isValid) }

  @Test func networksAreCounted() throws {
    let addresses = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].compactMap { IPAddress($0)?.network }
    #expect(Set(addresses).count == 2)
    #expect(IPAddress("::ffff:10.0.0.1") == IPAddress("10.0.0.1"))
    let range = try #require(IPAddress.Range("10.0.0.0/9"))
    #expect(range.contains(try #require(IPAddress("10.127.0.1"))))
    #expect(!range.contains(try #require(IPAddress("10.128.0.1"))))
    for wrong in ["10.0.0.0/33", "x", "10.0.0.1/", ""] { #expect(IPAddress.Range(wrong) == nil) }
  }
}
