import Synchronization

/// Limits the number of requests per second from each client network. Each network has a token bucket, which holds the
/// tokens of one second, at least one. So a client can send the requests of one second at once.
final class RequestRate: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  private let perSecond: Double
  /// Number of tokens in a full bucket.
  private let capacity: Double
  private let buckets = Mutex<[IPAddress: Bucket]>([:])

  /// When there are this many buckets, the buckets that are full again are removed. They do not differ from new
  /// buckets.
  private static let mostBuckets = 65_536
  /// Longest wait that is returned, in seconds.
  private static let longestWait = 86_400.0

  init(perSecond: Double) { (self.perSecond, capacity) = (perSecond, max(perSecond, 1)) }

  /// Takes a token for a request.
  ///
  /// - Returns: nil if a token was left; otherwise the number of seconds until the next token.
  func take(_ address: IPAddress) -> Int? {
    let (network, now) = (address.network, ContinuousClock.now)
    return buckets.withLock { buckets in
      if buckets.count >= Self.mostBuckets { buckets = buckets.filter { tokens(in: $0.value, at: now) < capacity } }
      var bucket = buckets[network] ?? Bucket(tokens: capacity, filled: now)
      (bucket.tokens, bucket.filled) = (tokens(in: bucket, at: now), now)
      defer { buckets[network] = bucket }
      guard bucket.tokens >= 1 else {
        return Int(min(max(((1 - bucket.tokens) / perSecond).rounded(.up), 1), Self.longestWait))
      }
      bucket.tokens -= 1
      return nil
    }
  }

  private func tokens(in bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    min(bucket.tokens + (now - bucket.filled) / .seconds(1) * perSecond, capacity)
  }
}
