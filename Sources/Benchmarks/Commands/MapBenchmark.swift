import ArgumentParser
import Foundation
import PointSets
import Synchronization
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineMap

/// Times the work that a moving map view waits for. This work has two steps: the answer for the new view is computed
/// off the main thread, and is then compared with the visible badges on the main thread.
struct MapBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Times changes of a map's region, and measures the memory of a map that always moves."
  )

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Number of timed changes.") var changes = 4000

  @Option(help: "Number of repeats of each change.") var repeats = 5

  @Option(help: "Number of changes per second during --held.") var rate = 10_000

  @Option(help: "Number of seconds in which a map is moved without a pause.") var held = 4

  /// Size of a tablet. At this size, answers have several hundred badges.
  static let size = Viewport.Size(width: 1180, height: 820)

  func run() throws {
    let coordinates = try points.read()
    let tree = try ClusterTree(coordinates, options: BuildOptions(supporting: .spacing, threads: 2))
    var random = SplitMix64(seed: 12)
    let walks = Self.walk(around: coordinates, steps: changes, &random)
    // All passes make the same changes. So each change is timed several times, once in each pass.
    let passes = try (0..<repeats).map { _ in try Self.pass(walks, of: tree) }
    func medians(_ times: (Pass) -> [Double]) -> [Double] {
      let times = passes.map(times)
      return walks.indices.map { change in median(times.map { $0[change] }) }
    }
    var result: [String: any Encodable] = [
      "off": medians(\.off), "main": medians(\.main), "frame": medians(\.frames), "touched": passes[0].touched,
    ]
    let held = try Self.held(walks, of: tree, rate: rate, seconds: held)
    (result["points"], result["heldBytes"], result["answers"]) = (coordinates.count, held.bytes, held.answers)
    try printJSON(result)
  }

  /// Returns the views of a map that is zoomed and panned, with occasional jumps.
  private static func walk(around centers: [Coordinate], steps: Int, _ random: inout SplitMix64) -> [Viewport] {
    var (center, zoom) = (centers[0], 8.0)
    return (0..<steps).map { step in
      if step % 20 == 0 {
        (center, zoom) = (centers[random.index(below: centers.count)], random.number(from: 6, to: 12))
      } else if step % 2 == 0 {
        zoom += random.number(from: -1, to: 1)
      } else {
        center.longitude += random.number(from: -0.5, to: 0.5) * 360 / exp2(zoom)
      }
      return Viewport(
        center: center, zoom: min(max(zoom, 5), 15), width: size.width, height: size.height, margin: 64)
    }
  }

  /// Measurements of each change. All times are in seconds. `main` is the time of the work on the main thread. `off`
  /// is the time of the work outside the main thread. `frames` is the time of a frame in the middle of the change.
  /// `touched` is the number of badges that the change adds, removes or moves to another target.
  private struct Pass {
    var off: [Double] = []
    var main: [Double] = []
    var frames: [Double] = []
    var touched: [Int] = []
  }

  private static func pass(_ walk: [Viewport], of tree: ClusterTree) throws -> Pass {
    var (pass, scene) = (Pass(), MapScene())
    for (step, view) in walk.enumerated() {
      let query = Query(.spacing(44), in: view)
      // Every second change interrupts the animation of the previous change.
      let now = Double(step / 2) * 2 + (step % 2 == 0 ? 0 : 0.1)
      _ = scene.advance(to: now)
      var (answer, change): (MapAnswer?, MapChange?) = (nil, nil)
      pass.off.append(try seconds { answer = try MapAnswer(tree.clusters(query), of: query) })
      pass.main.append(seconds { change = scene.show(answer!, at: now) })
      pass.touched.append(change!.added.count + change!.removed.count + change!.retargeted.count)
      pass.frames.append(seconds { blackHole(scene.advance(to: now + 0.05).moved.count) })
    }
    return pass
  }

  /// Moves a map without a pause. Returns the number of answers, and the number of bytes by which the process grows
  /// after a warm-up.
  private static func held(_ walk: [Viewport], of tree: ClusterTree, rate: Int, seconds: Int) throws -> (
    bytes: Int, answers: Int
  ) {
    let feed = MapFeed(tree)
    let answers = Mutex(0)
    let reader = Task.detached {
      var scene = MapScene()
      let start = ContinuousClock.now
      for await answer in feed.answers {
        let now = start.duration(to: .now) / .seconds(1)
        if let answer = try? answer.get() { blackHole(scene.show(answer, at: now).moved.count) }
        answers.withLock { $0 += 1 }
        // Waits for about one frame.
        try? await Task.sleep(for: .milliseconds(8))
      }
    }
    var before = ResidentMemory.now
    for second in 0...seconds {
      // Memory is measured from the end of the first second. During the first second, the process still fills caches
      // that are filled only once.
      if second == 1 { before = ResidentMemory.now }
      let start = ContinuousClock.now
      for change in 0..<rate {
        feed.viewport = walk[change % walk.count]
        let due = start + .seconds(1) * change / rate
        while ContinuousClock.now < due { usleep(20) }
      }
    }
    defer { reader.cancel() }
    return (ResidentMemory.now - before, answers.withLock { $0 })
  }
}
