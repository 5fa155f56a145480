import Synchronization

/// Limits the number of requests per second from each client network. Each network has a token bucket. An unused
/// bucket is full after two seconds.
final class RequestRate: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let buckets = Mutex<[IPAddress: Bucket]>([:])

  /// When there are this many buckets, the buckets that were unused for two seconds are removed. These buckets are
  /// full again, so they do not differ from new buckets.
  private static let mostBuckets = 65_536
  /// Longest wait that is returned, in seconds.
  private static let longestWait = 86_400.0

  init(perSecond: Double) { self.perSecond = perSecond }

  /// Takes a token for a request.
  ///
  /// - Returns: nil if a token was left; otherwise the number of seconds until the next token.
  func take(_ address: IPAddress) -> Int? {
    let (network, now) = (address.network, ContinuousClock.now)
    return buckets.withLock { buckets in
      if buckets.count >= Self.mostBuckets { buckets = buckets.filter { now - $0.value.filled < .seconds(2) } }
      var bucket = buckets[network] ?? Bucket(tokens: 2 * perSecond, filled: now)
      bucket.tokens = min(bucket.tokens + (now - bucket.filled) / .seconds(1) * perSecond, max(2 * perSecond, 1))
      bucket.filled = now
      defer { buckets[network] = bucket }
      guard bucket.tokens >= 1 else {
        return Int(min(max(((1 - bucket.tokens) / perSecond).rounded(.up), 1), Self.longestWait))
      }
      bucket.tokens -= 1
      return nil
    }
  }
}
