import NIOCore
import Synchronization

/// How many connections there are, in all and of each address.
final class ConnectionCounts: Sendable {
  /// What a new connection may do.
  enum Admission: Equatable {
    case welcome
    /// It may ask for the server's state, and is closed soon.
    case beyondBound(Bound)
    /// It is closed at once: its address has too many even of those.
    case none
  }

  /// Beyond these only the server's state is told.
  let most: Int
  private let mostPerAddress: Int
  private let counts = Mutex((all: 0, byAddress: [IPAddress: Int]()))

  /// Connections beyond the bound, in all, and of an address that has as many as it may.
  static let reserve = (all: 512, perAddress: 32)

  init(most: Int, mostPerAddress: Int) { (self.most, self.mostPerAddress) = (most, mostPerAddress) }

  var all: Int { counts.withLock(\.all) }

  /// - Parameter address: The network of a client; nil for one that has no bound of its own, such as a proxy's.
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
