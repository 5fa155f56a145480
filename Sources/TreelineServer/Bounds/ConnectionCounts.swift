import NIOCore
import Synchronization

/// Numbers of open connections, in total and per address.
final class ConnectionCounts: Sendable {
  /// Permissions of a new connection.
  enum Admission: Equatable {
    case welcome
    /// The connection may only request `/health` and `/ready`, and is closed soon.
    case beyondBound(Bound)
    /// The connection is closed at once, because even the reserve for its address is used up.
    case none
  }

  /// Number of connections that may send any request. Further connections may only request `/health` and `/ready`.
  let most: Int
  private let mostPerAddress: Int
  private let counts = Mutex((all: 0, byAddress: [IPAddress: Int]()))

  /// Number of connections that are accepted beyond the bounds, in total and per address.
  static let reserve = (all: 512, perAddress: 32)

  init(most: Int, mostPerAddress: Int) { (self.most, self.mostPerAddress) = (most, mostPerAddress) }

  var all: Int { counts.withLock(\.all) }

  /// Counts a new connection.
  ///
  /// - Parameter address: Network of the client; nil for clients without a bound per address, such as trusted proxies.
  func open(_ address: IPAddress?) -> Admission {
    counts.withLock { counts in
      counts.all += 1
      guard let address else { return counts.all > most ? .beyondBound(.connections) : .welcome }
      let own = counts.byAddress[address, default: 0] + 1
      counts.byAddress[address] = own
      if own > mostPerAddress + Self.reserve.perAddress { return .none }
      if own > mostPerAddress { return .beyondBound(.connectionsPerAddress) }
      return counts.all > most ? .beyondBound(.connections) : .welcome
    }
  }

  func close(_ address: IPAddress?) {
    counts.withLock { counts in
      counts.all -= 1
      guard let address, let count = counts.byAddress[address] else { return }
      counts.byAddress[address] = count > 1 ? count - 1 : nil
    }
  }
}
