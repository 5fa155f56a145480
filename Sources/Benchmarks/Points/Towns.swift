import Foundation
import PointSets
import Treeline

/// A mixture of towns whose sizes follow Zipf's law, as cities' do, and whose widths differ a thousandfold.
struct Towns: Sendable {
  private struct Town {
    var longitude: Double
    var latitude: Double
    /// The standard deviation, in degrees.
    var width: Double
  }

  private let towns: [Town]
  /// Up to which draw a town is meant.
  private let upTo: [Double]

  init(_ count: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    towns = (0..<count).map { _ in
      Town(
        longitude: random.number(from: -180, to: 180), latitude: random.number(from: -60, to: 75),
        width: pow(10, random.number(from: -3, to: 0)))
    }
    var total = 0.0
    upTo = (1...count).map { rank in
      total += 1 / Double(rank)
      return total
    }
  }

  func place(_ random: inout SplitMix64) -> Coordinate {
    guard random.fraction() >= 0.1 else { return GeneratedSet.uniformPlace(&random) }
    let town = towns[index(of: random.number(from: 0, to: upTo.last!))]
    let longitude = town.longitude + random.bell() * town.width
    let latitude = town.latitude + random.bell() * town.width
    return Coordinate(
      longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
      latitude: latitude)
  }

  private func index(of draw: Double) -> Int {
    var range = 0..<towns.count - 1
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = draw < upTo[middle] ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }
}
