import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Compares the positions at which nodes are split with the definition, which tries every position with exact numbers.
@Suite struct SplitPositionExhaustiveTests {
  /// Coordinates and counts are so small that the scatter is exact and ties are frequent.
  @Test(arguments: Trials.seeds(400)) func noPositionAcrossTheAxisLeavesLessScatter(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let side = UInt32(1) << UInt32(1 + random.index(below: 10))
    let points = Self.points(2 + random.index(below: 60), side: side, &random)
    for axis in Self.axes(&random) {
      guard let split = split(points, across: axis, by: LeastScatterSplit(monitor: BuildMonitor(pointCount: 0))) else {
        continue
      }
      let lowest = Self.lowestOfLeastScatter(points, across: axis)
      #expect(split.scatterLeft(of: points) <= lowest.scatter, "\(points) across \(axis)")
      if split.axis == axis {
        let left = points.filter { Self.product($0, axis) <= lowest.threshold }
        #expect(points.filter(split.isLeft) == left, "\(points) across \(axis)")
      }
    }
  }

  /// Starts at the best position across the axis. Each step moves points to the nearer mean, as long as the scatter
  /// between the means grows by at least a 2048th. The test computes the expected result step by step. Coordinates are
  /// so far apart that rounding decides nothing.
  @Test(arguments: Trials.seeds(300)) func pointsGoToTheNearerMean(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let points = Self.points(3 + random.index(below: 200), side: 1 << 20, &random)
    for axis in Self.axes(&random) {
      let found = split(points, across: axis, by: LeastScatterSplit(monitor: BuildMonitor(pointCount: 0)))!
      let threshold = Self.lowestOfLeastScatter(points, across: axis).threshold
      var left = Set(points.filter { Self.product($0, axis) <= threshold })
      while let next = Self.nextStep(points, left) { left = next }
      let foundLeft = Set(points.filter(found.isLeft))
      #expect(foundLeft == left || foundLeft == Set(points).subtracting(left), "\(points) across \(axis)")
    }
  }

  private static func nextStep(_ points: [PlanePoint], _ left: Set<PlanePoint>) -> Set<PlanePoint>? {
    let halves = [points.filter(left.contains), points.filter { !left.contains($0) }]
    let means = halves.map { half in
      (
        x: half.reduce(0) { $0 + Double($1.x) } / Double(half.count),
        y: half.reduce(0) { $0 + Double($1.y) } / Double(half.count)
      )
    }
    func distance(_ point: PlanePoint, _ mean: (x: Double, y: Double)) -> Double {
      hypot(Double(point.x) - mean.x, Double(point.y) - mean.y)
    }
    let nearer = points.filter { distance($0, means[0]) < distance($0, means[1]) }
    let farther = points.filter { distance($0, means[0]) >= distance($0, means[1]) }
    if nearer.isEmpty || farther.isEmpty { return nil }
    let all = Fraction(scatterOf: points).value
    func between(_ halves: [[PlanePoint]]) -> Double { all - halves.reduce(0) { $0 + Fraction(scatterOf: $1).value } }
    return between([nearer, farther]) > between(halves) * (1 + 0x1p-11) ? Set(nearer) : nil
  }

  /// Tries all positions, and returns the lowest position of least scatter. A position is given as the dot product of
  /// the last point to its left. Points with equal dot products are not separated.
  private static func lowestOfLeastScatter(_ points: [PlanePoint], across axis: PrincipalAxis) -> (
    threshold: Int64, scatter: Fraction
  ) {
    let products = Set(points.map { product($0, axis) }).sorted()
    var best: (threshold: Int64, scatter: Fraction)?
    for threshold in products.dropLast() {
      let split = SplitLine(corner: PlanePoint(x: 0, y: 0), axis: axis, threshold: threshold)
      let scatter = split.scatterLeft(of: points)
      if best == nil || scatter < best!.scatter { best = (threshold, scatter) }
    }
    return best!
  }

  /// Tests so many points that most positions are ruled out without being tried. The points are evenly spread, in
  /// stacks, at doubling distances, in two or three heaps, or all in one heap except one point.
  @Test(arguments: Trials.seeds(120)) func noPositionIsOverlooked(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = 20 + random.index(below: [30, 300, 30_000][random.index(below: 3)])
    let side = UInt32.max >> UInt32(random.index(below: 31))
    var points = Self.points(count, side: side, &random)
    switch seed % 5 {
    case 1: points += Array(repeating: points[0], count: count)
    case 2: points = Self.atDoublingDistances(count, &random)
    case 3: points = Self.points(count, side: 1 + side / 1000, &random) + [PlanePoint(x: .max, y: .max)]
    case 4: points += Self.mirrored(Self.points(count, side: side / 10, &random), at: side)
    default: break
    }
    for axis in Self.axes(&random) {
      let moments = points.withUnsafeBufferPointer { Moments<UInt128>($0, from: PlanePoint(x: 0, y: 0)) }
      let links = UnsafeMutablePointer<UInt32>.allocate(capacity: points.count)
      defer { links.deallocate() }
      let halves = Halves(of: moments)
      let best = points.withUnsafeBufferPointer {
        SplitPositionSearch.bestPosition(
          between: $0.baseAddress!, of: moments, halves, DotProducts(corner: PlanePoint(x: 0, y: 0), axis: axis),
          linkingIn: links, BuildMonitor(pointCount: points.count))
      }
      let leftCount = Self.leftCountOfBestPosition(points, across: axis, halves)
      #expect(Int(best.left.count) == leftCount, "\(points.count) across \(axis)")
      #expect(
        points.count { Self.product($0, axis) <= best.threshold } == leftCount, "\(points.count) across \(axis)")
    }
  }

  /// Tries every position, and returns the number of points left of the best position. Of several equally good
  /// positions, the first counts.
  private static func leftCountOfBestPosition(_ points: [PlanePoint], across axis: PrincipalAxis, _ halves: Halves)
    -> Int
  {
    let sorted = points.sorted { product($0, axis) < product($1, axis) }
    var halves = halves
    halves.left = Halves.Sums()
    var best = (between: 0.0, leftCount: 0)
    for (point, next) in zip(sorted, sorted.dropFirst()) {
      halves.left.add(point, from: PlanePoint(x: 0, y: 0))
      if product(point, axis) != product(next, axis), halves.scatterBetween > best.between {
        best = (halves.scatterBetween, Int(halves.left.count))
      }
    }
    return best.leftCount
  }

  private static func atDoublingDistances(_ count: Int, _ random: inout SplitMix64) -> [PlanePoint] {
    (0..<count).map { _ in
      let distance = Int64(1) << Int64(random.index(below: 31))
      func coordinate() -> UInt32 { UInt32(1 << 31 + Int64.random(in: -distance...distance, using: &random)) }
      return PlanePoint(x: coordinate(), y: coordinate())
    }
  }

  private static func mirrored(_ points: [PlanePoint], at side: UInt32) -> [PlanePoint] {
    points + points.map { PlanePoint(x: side - $0.x, y: side - $0.y) }
  }

  @Test(arguments: Trials.seeds(200)) func aPointIsLeftUpToTheWeightedMean(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let side = UInt32.max >> UInt32(random.index(below: 31))
    let points = Self.points(2 + random.index(below: 50), side: side, &random)
    let weight = DistanceWeight(gammaInEighths: UInt32(random.index(below: 33)))
    let weights = Self.weights(of: points, weight)
    for axis in Self.axes(&random) {
      let algorithm = WeightedMeanSplit(weight: weight, monitor: BuildMonitor(pointCount: 0))
      guard let split = split(points, across: axis, by: algorithm) else { continue }
      let sum = zip(points, weights).reduce(Int128(0)) { $0 + Int128($1.1) * Int128(Self.product($1.0, axis)) }
      let all = weights.reduce(Int128(0)) { $0 + Int128($1) }
      for point in points {
        #expect(
          (Self.product(point, axis) <= split.threshold) == (Int128(Self.product(point, axis)) * all <= sum),
          "\(point) across \(axis)")
      }
    }
  }

  private static func weights(of points: [PlanePoint], _ weight: DistanceWeight) -> [UInt64] {
    let count = Int64(points.count)
    let sum = points.reduce((x: 0 as Int64, y: 0 as Int64)) { ($0.x + Int64($1.x), $0.y + Int64($1.y)) }
    let squares = points.map { point in
      let (dx, dy) = (Double(count * Int64(point.x) - sum.x), Double(count * Int64(point.y) - sum.y))
      return dx * dx + dy * dy
    }
    let scale = 1 / squares.max()!
    return squares.map { weight.of($0 * scale) }
  }

  /// Returns the split of some points; nil if all dot products are equal, so that nothing can be split. Also checks
  /// that both sides have points.
  private func split(_ points: [PlanePoint], across axis: PrincipalAxis, by algorithm: some SplitAlgorithm)
    -> SplitLine?
  {
    guard Set(points.map { Self.product($0, axis) }).count > 1 else { return nil }
    let memory = BuildMemory(pointCount: points.count, BuildMonitor(pointCount: points.count))
    defer { memory.deallocate() }
    memory.arrays.points.update(from: points, count: points.count)
    let corner = PlanePoint(x: 0, y: 0)
    let moments = points.withUnsafeBufferPointer { Moments<UInt128>($0, from: corner) }
    let group = NodePoints(first: 0, moments: moments, corner: corner)
    let split = algorithm.split(group, in: memory.arrays, across: axis, threads: 1)
    #expect(points.contains(where: split.isLeft) && !points.allSatisfy(split.isLeft))
    #expect((0..<points.count).allSatisfy { memory.arrays.points[$0] == points[$0] })
    return split
  }

  /// With several threads, each thread puts its points into bins of its own, and sums up its part.
  @Test(arguments: [1 as UInt32, 40, 5_000, 1 << 20, .max])
  func isTheSameForAnyNumberOfThreads(side: UInt32) throws {
    var random = SplitMix64(seed: 91)
    for count in [4096, 20_000, 50_001] {
      let points = Self.points(count, side: side, &random) + [PlanePoint(x: 0, y: 0), PlanePoint(x: .max, y: .max)]
      let memory = BuildMemory(pointCount: points.count, BuildMonitor(pointCount: points.count))
      defer { memory.deallocate() }
      memory.arrays.points.update(from: points, count: points.count)
      let corner = PlanePoint(x: 0, y: 0)
      let moments = points.withUnsafeBufferPointer { Moments<UInt128>($0, from: corner) }
      let group = NodePoints(first: 0, moments: moments, corner: corner)
      let monitor = BuildMonitor(pointCount: points.count)
      func split(by algorithm: some SplitAlgorithm, _ axis: PrincipalAxis, threads: Int) -> SplitLine {
        algorithm.split(group, in: memory.arrays, across: axis, threads: threads)
      }
      for axis in Self.axes(&random).prefix(3) {
        let leastScatter = LeastScatterSplit(monitor: monitor)
        let weighted = WeightedMeanSplit(weight: DistanceWeight(gammaInEighths: 12), monitor: monitor)
        for threads in 2...5 {
          #expect(
            split(by: leastScatter, axis, threads: threads) == split(by: leastScatter, axis, threads: 1),
            "\(count), \(threads) threads")
          #expect(
            split(by: weighted, axis, threads: threads) == split(by: weighted, axis, threads: 1),
            "\(count), \(threads) threads")
        }
      }
    }
  }

  private static func points(_ count: Int, side: UInt32, _ random: inout SplitMix64) -> [PlanePoint] {
    (0..<count).map { _ in
      PlanePoint(x: .random(in: 0...side, using: &random), y: .random(in: 0...side, using: &random))
    }
  }

  private static func axes(_ random: inout SplitMix64) -> [PrincipalAxis] {
    let shorter = Int64.random(in: -PrincipalAxis.length...PrincipalAxis.length, using: &random)
    return [
      PrincipalAxis(x: PrincipalAxis.length, y: shorter), PrincipalAxis(x: shorter, y: PrincipalAxis.length),
      .horizontal, .vertical, PrincipalAxis(x: PrincipalAxis.length, y: -PrincipalAxis.length),
    ]
  }

  private static func product(_ point: PlanePoint, _ axis: PrincipalAxis) -> Int64 {
    axis.x * Int64(point.x) + axis.y * Int64(point.y)
  }
}

extension SplitLine {
  fileprivate func scatterLeft(of points: [PlanePoint]) -> Fraction {
    Fraction(scatterOf: points.filter(isLeft)) + Fraction(scatterOf: points.filter { !isLeft($0) })
  }
}

/// An exact quotient of two numbers. Tests keep the numbers small.
private struct Fraction: Comparable {
  let numerator: Int128
  let denominator: Int128

  /// Creates the sum of the squared distances of points from their mean.
  init(scatterOf points: [PlanePoint]) {
    let count = Int128(points.count)
    let squares = points.reduce(Int128(0)) { $0 + Int128($1.x) * Int128($1.x) + Int128($1.y) * Int128($1.y) }
    let x = points.reduce(Int128(0)) { $0 + Int128($1.x) }
    let y = points.reduce(Int128(0)) { $0 + Int128($1.y) }
    self.init(count * squares - x * x - y * y, count)
  }

  private init(_ numerator: Int128, _ denominator: Int128) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  static func + (a: Fraction, b: Fraction) -> Fraction {
    Fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }

  var value: Double { Double(numerator) / Double(denominator) }

  static func < (a: Fraction, b: Fraction) -> Bool { a.numerator * b.denominator < b.numerator * a.denominator }
  static func == (a: Fraction, b: Fraction) -> Bool { !(a < b) && !(b < a) }
}

/// Compares weights with the power function of the C library, which is accurate enough for this test.
@Suite struct DistanceWeightTests {
  @Test(arguments: 0...32 as ClosedRange<UInt32>) func isThePowerOfTheDistance(gammaInEighths: UInt32) {
    let weight = DistanceWeight(gammaInEighths: gammaInEighths)
    let power = Double(gammaInEighths) / 8 - 1
    let scale: Double = power < 0 ? 0x1p15 : 0x1p30
    var last: UInt64?
    for step in 0...4000 {
      let square = pow(Double(step) / 4000, 8)
      let found = weight.of(square)
      let exact = min(max(pow(square, power / 2) * scale, 1), 0x1p30)
      #expect(abs(Double(found) - exact) <= 1 + exact * 0x1p-48, "\(square)")
      #expect(1...(1 << 30) ~= found)
      if let last { #expect(power < 0 ? found <= last : found >= last, "\(square)") }
      last = found
    }
  }

  /// Rounding may make the squared distance of the farthest point slightly greater than 1. Checks that its weight stays
  /// within the limits, even with the maximum number of roots.
  @Test(arguments: [0, 8, 9, 32] as [UInt32]) func isFiniteAtTheMeanAndAtTheEdge(gammaInEighths: UInt32) {
    let weight = DistanceWeight(gammaInEighths: gammaInEighths)
    #expect(weight.of(0) == (gammaInEighths > 8 ? 1 : 1 << 30))
    #expect(weight.of((1.0).nextUp) <= 1 << 30 && weight.of((1.0).nextUp) >= 1 << 14)
  }
}
