import Foundation
import Treeline

extension PointSet {
  /// Returns random points that are spread evenly over the sphere.
  public static func uniformWorld(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { _ in
      Coordinate(
        longitude: random.number(from: -180, to: 180), latitude: asin(random.number(from: -1, to: 1)) * 180 / .pi)
    }
    return PointSet("\(count) all over the world, seed \(seed)", coordinates)
  }

  /// Returns points in clusters. Like the sizes of cities, the sizes of the clusters follow Zipf's law. Their widths
  /// differ by factors of up to 1000.
  public static func cities(_ count: Int, clusters: Int = 40, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let centers = (0..<clusters).map { _ in
      (
        longitude: random.number(from: -180, to: 180), latitude: random.number(from: -60, to: 75),
        width: pow(10, random.number(from: -3, to: 0))
      )
    }
    var total = 0.0
    let upTo = (1...clusters).map { rank in
      total += 1 / Double(rank)
      return total
    }
    let coordinates = (0..<count).map { _ in
      let draw = random.number(from: 0, to: total)
      let center = centers[upTo.firstIndex { draw < $0 } ?? 0]
      return coordinate(
        longitude: center.longitude + random.bell() * center.width,
        latitude: center.latitude + random.bell() * center.width)
    }
    return PointSet("\(count) in cities, seed \(seed)", coordinates)
  }

  /// Returns points along winding lines, with the jitter of a GPS receiver. Some lines are visited twice.
  public static func roads(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    var coordinates: [Coordinate] = []
    var (longitude, latitude, heading) = (0.0, 0.0, 0.0)
    while coordinates.count < count {
      if coordinates.count.isMultiple(of: 250) {
        longitude = random.number(from: -180, to: 180)
        latitude = random.number(from: -60, to: 60)
        heading = random.number(from: 0, to: 2 * .pi)
      }
      heading += random.bell() * 0.05
      longitude += 0.01 * cos(heading)
      latitude += 0.01 * sin(heading)
      let tremor = random.fraction() < 0.1 ? 0 : 0.00005
      coordinates.append(
        coordinate(longitude: longitude + random.bell() * tremor, latitude: latitude + random.bell() * tremor))
      if random.fraction() < 0.05 { coordinates.append(coordinates[random.index(below: coordinates.count)]) }
    }
    return PointSet("\(count) along roads, seed \(seed)", Array(coordinates.prefix(count)))
  }

  private static func coordinate(longitude: Double, latitude: Double) -> Coordinate {
    Coordinate(
      longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
      latitude: min(max(latitude, -90), 90))
  }

  public static let clouds: [PointSet] = [uniformWorld(1000, seed: 12), cities(1500, seed: 13), roads(1000, seed: 14)]

  /// Returns a set whose kind and number of points are random and depend on the seed.
  public static func random(seed: UInt64, upTo most: Int = 600) -> PointSet {
    var random = SplitMix64(seed: seed)
    let count = 1 + random.index(below: most)
    return switch random.index(below: 6) {
    case 0: uniformWorld(count, seed: seed)
    case 1: cities(count, clusters: 1 + random.index(below: 50), seed: seed)
    case 2: roads(count, seed: seed)
    case 3: nullIsland(stack: count / 2, noise: count - count / 2, seed: seed)
    case 4: antimeridian(max(6, count), seed: seed)
    default: coarse(count, side: 1 + random.index(below: 12), seed: seed)
    }
  }

  /// Returns points at few positions close together, so that many distances are equal and many points share a position.
  public static func coarse(_ count: Int, side: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    return PointSet(
      "\(count) on \(side) by \(side) units, seed \(seed)",
      onPlane: (0..<count).map { _ in
        PlanePoint(x: 1 << 31 + UInt32(random.index(below: side)), y: 1 << 31 + UInt32(random.index(below: side)))
      })
  }
}
