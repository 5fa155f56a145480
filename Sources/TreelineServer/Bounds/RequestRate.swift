import Synchronization

/// How many requests a second each network of clients may send: a bucket of tokens, twice as large as a second's.
final class RequestRate: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let buckets = Mutex<[IPAddress: Bucket]>([:])

  /// A full bucket is as good as none, so they are thrown away when there are many.
  private static let mostBuckets = 65_536
  /// In seconds; whoever would wait longer is told this.
  private static let longestWait = 86_400.0

  init(perSecond: Double) { self.perSecond = perSecond }

  /// - Returns: nil, or where there was no token in how many seconds there will be one.
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
