import Foundation
import Treeline
import TreelineBuilder
struct RNG: RandomNumberGenerator { var s: UInt64; mutating func next() -> UInt64 { s &+= 0x9E3779B97F4A7C15; var z = s; z = (z ^ (z >> 30)) &* 0xBF58476D1CE4E5B9; z = (z ^ (z >> 27)) &* 0x94D049BB133111EB; return z ^ (z >> 31) } }
var rng = RNG(s: 1)
let n = Int(CommandLine.arguments[1])!
var pts: [Coordinate] = []
if CommandLine.arguments.count > 2 {
  let text = try! String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)
  for line in text.split(separator: "\n").dropFirst() { let p = line.split(separator: ","); pts.append(Coordinate(longitude: Double(p[0])!, latitude: Double(p[1])!)) }
} else { for _ in 0..<n { pts.append(Coordinate(longitude: .random(in: -180...180, using: &rng), latitude: .random(in: -80...80, using: &rng))) } }
let clock = ContinuousClock()
for t in [1, 2, 1, 2] {
  var tree: ClusterTree!
  let d = try clock.measure { tree = try ClusterTree(pts, options: BuildOptions(threads: t)) }
  print("build", pts.count, "threads", t, d, String(tree.contentHash, radix: 16), "bytes/pt", tree.bytesPerPoint)
  if t == 2 {
    var total = 0; let reps = 20000
    var vs: [BoundingBox] = []
    for _ in 0..<reps { let c = pts[Int.random(in: 0..<pts.count, using: &rng)]; let z = Double.random(in: 2...16, using: &rng); let w = 180*exp2(-z); vs.append(BoundingBox(west: c.longitude - w, south: max(c.latitude - w/2, -90), east: c.longitude + w, north: min(90, c.latitude + w/2))) }
    let q = try clock.measure { for v in vs { total += try tree.clusters(in: v, limit: 100).count } }
    print("query", q / reps, "mean clusters", Double(total) / Double(reps))
  }
}
