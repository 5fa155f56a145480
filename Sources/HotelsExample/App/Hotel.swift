import Treeline
import TreelineBuilder

struct Hotel: Sendable {
  var name: String
  var coordinate: Coordinate
}

extension Hotel {
  /// Returns invented hotels around some cities: many near the center, fewer farther out.
  static func sample(_ count: Int) -> [Hotel] {
    let cities = [
      Coordinate(longitude: 2.35, latitude: 48.86), Coordinate(longitude: -0.13, latitude: 51.51),
      Coordinate(longitude: 13.40, latitude: 52.52), Coordinate(longitude: 12.50, latitude: 41.90),
      Coordinate(longitude: -3.70, latitude: 40.42), Coordinate(longitude: -74.01, latitude: 40.71),
      Coordinate(longitude: 139.69, latitude: 35.69), Coordinate(longitude: 178.44, latitude: -18.12),
    ]
    return (0..<count).map { number in
      let city = cities[number % cities.count]
      let distance = Double.random(in: 0...1) * Double.random(in: 0...1) * Double.random(in: 0...3)
      let (east, north) = (Double.random(in: -1...1), Double.random(in: -1...1))
      let longitude = city.longitude + distance * east
      return Hotel(
        name: "Hotel \(number + 1)",
        coordinate: Coordinate(
          longitude: longitude > 180 ? longitude - 360 : longitude, latitude: city.latitude + distance * north))
    }
  }

  /// Builds the tree off the main thread, for badges that never touch.
  static func map(of hotels: [Hotel]) async throws -> ClusterMap<Hotel> {
    try await ClusterMap.build(hotels, at: \.coordinate, supporting: .badges())
  }
}
