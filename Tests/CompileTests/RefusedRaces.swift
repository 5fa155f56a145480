// Races that the compiler finds only when it generates code, not when it checks types. This file proves that the
// compile tests and the examples of the documentation are checked for such races.

import Treeline

struct Bench: Sendable {
  var coordinate: Coordinate
}

/// Unlike the function of `ClusterMap.build`, this one is not `@Sendable`.
func build(_ benches: [Bench], at coordinate: (Bench) -> Coordinate) async -> [Coordinate] { benches.map(coordinate) }

@MainActor final class BenchesModel {
  var coordinates: [Coordinate] = []

  func load(_ benches: [Bench]) async {
    // expected-error@+1 {{risks causing data races}} expected-note@+1 {{sending main actor-isolated value}}
    coordinates = await build(benches, at: \.coordinate)
  }
}
