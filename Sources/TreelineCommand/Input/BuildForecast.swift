import Foundation
import TreelineBuilder

/// The estimated cost of a build in pieces.
struct BuildForecast: CustomStringConvertible {
  let pointCount: Int
  /// Size of the scratch folder on the disk, in bytes.
  let scratch: Int
  let index: Int
  let seconds: Double

  /// Time that one core needs for each point after all points are read, in nanoseconds. `perPass` is the time for one
  /// pass over the positions while the pieces are planned. `perSearch` is the time to search, within pieces, for the
  /// splits with the least scatter. `perPoint` is the time for all other work. `perMerge` is the time to merge clusters
  /// instead. The values were measured on an idle virtual machine. Other machines may need half the time or twice the
  /// time.
  private static let (perPass, perSearch, perPoint, perMerge) = (2.0, 250.0, 400.0, 3000.0)

  /// Estimates the cost of a build. The estimate is based on the points that were read before memory was full.
  ///
  /// - Parameters:
  ///   - pointCount: Approximate number of points.
  ///   - readingSeconds: Time to read all points at the speed measured so far.
  ///   - recordLength: Size of a point's columns and row number in the scratch folder, in bytes.
  ///   - busyThreads: Number of threads of other processes that compete for the cores.
  init(
    pointCount: Int, readingSeconds: Double, _ options: IndexBuild.Options, recordLength: Int,
    busyThreads: Double = busyThreads
  ) {
    self.pointCount = pointCount
    let lengthOfPoint = options.isMerged ? 110 : options.isGrouped ? 34 : 24
    (scratch, index) = ((lengthOfPoint + 2 * recordLength) * pointCount, (22 + recordLength) * pointCount)
    seconds = readingSeconds + Self.buildingSeconds(ofPoints: pointCount, options, busyThreads: busyThreads)
  }

  /// Returns the time to build the index after all points are read, in seconds.
  static func buildingSeconds(
    ofPoints count: Int, _ options: IndexBuild.Options, busyThreads: Double = busyThreads
  ) -> Double {
    let passes = Double(IndexBuild.passCount(ofPoints: count, options))
    let tree =
      options.isMerged ? perMerge : passes * perPass + (options.tree.splitRule == .mean ? 0 : perSearch)
    let nanoseconds = tree + perPoint
    let share = share(
      ofCores: ProcessInfo.processInfo.activeProcessorCount, threads: options.tree.threads, busyThreads: busyThreads)
    return nanoseconds * Double(count) / 1e9 / share
  }

  /// Returns the number of cores that the threads of a build get on average while the busy threads of other processes
  /// compete for the cores. A thread gets at most one core.
  static func share(ofCores cores: Int, threads: Int, busyThreads: Double) -> Double {
    let threads = Double(max(threads, 1))
    return threads * min(1, Double(max(cores, 1)) / (threads + max(busyThreads, 0)))
  }

  /// Number of busy threads in other processes, averaged over the last minute. A thread that waits for the disk counts
  /// as busy.
  static var busyThreads: Double {
    var loads = [0.0]
    // This process has just read the points and is part of the load average, so 1 is subtracted.
    return getloadavg(&loads, 1) == 1 ? max(loads[0] - 1, 0) : 0
  }

  var description: String {
    "about \(Quantity(amount: Double(pointCount), unit: "points")), \(ByteCount(scratch)) of scratch space, "
      + "\(ByteCount(index)) for the index and \(Self.time(seconds))"
  }

  /// Returns a time in words. The time is only an estimate, so it is rounded up to whole minutes or hours.
  static func time(_ seconds: Double) -> String {
    if seconds < 60 { return "less than a minute" }
    let minutes = Int((seconds / 60).rounded(.up))
    if minutes < 120 { return minutes == 1 ? "a minute" : "\(minutes) minutes" }
    return "\(Int((Double(minutes) / 60).rounded(.up))) hours"
  }
}
