import Treeline
import TreelineBuilder
import TreelineMap

// Names that the examples in doc comments use.

struct Hotel: Sendable {
  enum Kind: String, ColumnValue { case hotel, hostel }

  var name: String
  var kind: Kind
  var price: Double?
  var opened: Instant
  var coordinate: Coordinate
}

struct Stop: Sendable {
  var lat, lng: Double
}

struct Vehicle: Identifiable, Sendable {
  var id: Int
  var coordinate: Coordinate
}

/// A view of a map that draws badges, and the clock of its frames.
@MainActor struct MapLayer {
  func apply(_ change: MapChange) {}
}

@MainActor final class DisplayLink {
  var isPaused = true
}

var allHotels: [Hotel] { fatalError() }
var allStops: [Stop] { fatalError() }
var coordinates: [Coordinate] { fatalError() }
var prices: [Double] { fatalError() }
var months: [Range<Instant>] { fatalError() }
var hotels: ClusterMap<Hotel> { fatalError() }
var map: ClusterMap<Hotel> { fatalError() }
var tree: ClusterTree { fatalError() }
var clusters: Clusters { fatalError() }
var view: Viewport { fatalError() }
var shown: ClusterMap<Hotel>.Results { fatalError() }
var values: ColumnValues { fatalError() }
var points: [PlanePoint] { fatalError() }
var fleet: [Vehicle] { fatalError() }
var vehicles: ClusterMap<Vehicle> { fatalError() }
var bus: Vehicle { fatalError() }
var tram: Vehicle { fatalError() }
var train: Vehicle { fatalError() }
var options: BuildOptions { fatalError() }
var cut: Cut { fatalError() }
var answer: MapAnswer { fatalError() }
var feed: MapFeed { fatalError() }
var live: LiveMap<Vehicle> { fatalError() }
var now: Double { fatalError() }
@MainActor var layer: MapLayer { fatalError() }
@MainActor var displayLink: DisplayLink { fatalError() }
var box: BoundingBox { fatalError() }
var paris: BoundingBox { fatalError() }
var louvre: Coordinate { fatalError() }

func draw(_ what: Any, at coordinate: Coordinate) {}
