import Foundation
import Treeline

extension PointSet {
  public static let none = PointSet("none", [])

  public static let one = PointSet("one", [Coordinate(longitude: -21.94, latitude: 64.15)])

  /// Returns `count` points at one position.
  public static func coincident(_ count: Int) -> PointSet {
    PointSet("\(count) coincident", Array(repeating: Coordinate(longitude: 2.35, latitude: 48.86), count: count))
  }

  /// Returns two stacks. The rows of the two stacks alternate.
  public static func twoStacks(_ first: Int, _ second: Int) -> PointSet {
    let (here, there) = (
      Coordinate(longitude: 9.99, latitude: 53.55), Coordinate(longitude: 9.9900002, latitude: 53.55)
    )
    let turns = min(first, second)
    let coordinates =
      (0..<2 * turns).map { $0.isMultiple(of: 2) ? here : there } + Array(repeating: here, count: first - turns)
      + Array(repeating: there, count: second - turns)
    return PointSet("two stacks of \(first) and \(second)", coordinates)
  }

  /// Returns points as in data with missing coordinates: many points lie at (0, 0), and all other points lie anywhere.
  public static func nullIsland(stack: Int, noise: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let zeros = Array(repeating: Coordinate(longitude: 0, latitude: 0), count: stack)
    let coordinates = random.shuffled(zeros + uniformWorld(noise, seed: seed &+ 1).coordinates)
    return PointSet("null island of \(stack) in \(noise), seed \(seed)", coordinates)
  }

  /// Returns a stack, and single points around the stack. From point to point, the distance from the stack grows by a
  /// constant factor.
  public static func stackInRings(stack: Int, rings: Int) -> PointSet {
    let centre = PlanePoint(x: 1 << 31, y: 1 << 31)
    let points = (0..<rings).map { ring in
      let distance = 4 * pow(2, 28 * Double(ring) / Double(rings))
      // The angle grows by the golden angle, so that points at similar distances lie in different directions.
      let angle = 2.399963 * Double(ring)
      return PlanePoint(
        x: UInt32(Int(centre.x) + Int(distance * cos(angle))), y: UInt32(Int(centre.y) + Int(distance * sin(angle))))
    }
    return PointSet(
      "stack of \(stack) in \(rings) rings", onPlane: Array(repeating: centre, count: stack) + points)
  }

  public static let stacks: [PointSet] = [
    none, one, coincident(2), coincident(16), coincident(17), coincident(1000), twoStacks(1, 1), twoStacks(1, 20),
    twoStacks(8, 8), twoStacks(300, 200), nullIsland(stack: 300, noise: 300, seed: 1),
  ]
}
