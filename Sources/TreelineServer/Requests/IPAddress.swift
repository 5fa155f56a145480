import Foundation
import NIOCore

/// An IPv4 or IPv6 address.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes.
  private let bytes: [UInt8]

  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address): self.init(v4: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address): self.init(v6: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    case .unixDomainSocket: return nil
    }
  }

  private init(v4 bytes: [UInt8]) { self.bytes = bytes }

  /// IPv4-mapped IPv6 addresses are treated as IPv4 addresses.
  private init(v6 bytes: [UInt8]) {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
  }

  init?(_ text: some StringProtocol) {
    guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
    self.init(address)
  }

  /// The addresses that are treated as one client. For IPv4, this is only the address itself. For IPv6, it is the /64
  /// network of the address.
  var network: IPAddress { bytes.count == 4 ? self : IPAddress(prefix: bytes[..<8]) }

  private init(prefix: ArraySlice<UInt8>) { bytes = Array(prefix) + Array(repeating: 0, count: 16 - prefix.count) }

  var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress ?? "unknown"
  }

  /// A range of addresses such as `10.0.0.0/8`, or a single address.
  struct Range: Hashable, Sendable {
    private let address: IPAddress
    private let bitCount: Int

    init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let address = IPAddress(parts[0]) else { return nil }
      let most = address.bytes.count * 8
      guard let bitCount = parts.count == 2 ? Int(parts[1]) : most, 0...most ~= bitCount else { return nil }
      (self.address, self.bitCount) = (address, bitCount)
    }

    func contains(_ other: IPAddress) -> Bool {
      guard other.bytes.count == address.bytes.count else { return false }
      return (0..<bitCount).allSatisfy { bit in (address.bytes[bit / 8] ^ other.bytes[bit / 8]) & 0x80 >> (bit % 8) == 0
      }
    }
  }
}
