import TreelineBuilder

/// What a build in pieces will take.
struct BuildForecast: CustomStringConvertible {
  let pointCount: Int
  /// On the disk, in bytes.
  let scratch: Int
  let index: Int
  let seconds: Double

  /// What a point takes of one core once it is read, in nanoseconds: each pass of the plan, its separation, the search
  /// for the least scatter in its piece, and all the rest. Measured on a virtual machine; others differ by a factor of
  /// two or so.
  private static let (perPass, perSeparation, perSearch, perPoint) = (2.0, 2000.0, 250.0, 400.0)

  /// By what is known once the first points do not fit the memory.
  ///
  /// - Parameters:
  ///   - pointCount: About how many points there are.
  ///   - readingSeconds: How long it takes to read all of them, at the rate of the first.
  ///   - recordLength: What a point's columns and its row number take in the scratch folder, in bytes.
  init(pointCount: Int, readingSeconds: Double, _ options: ScratchBuild.Options, recordLength: Int) {
    self.pointCount = pointCount
    (scratch, index) = (
      (24 + (options.isGrouped ? 10 : 0) + 2 * recordLength) * pointCount, (22 + recordLength) * pointCount
    )
    seconds = readingSeconds + Self.buildingSeconds(ofPoints: pointCount, options)
  }

  /// How long it takes to build the index once all points are read.
  static func buildingSeconds(ofPoints count: Int, _ options: ScratchBuild.Options) -> Double {
    let passes = Double(ScratchBuild.passCount(ofPoints: count, options))
    let nanoseconds =
      passes * perPass + perPoint + (options.rule == .mean ? 0 : perSearch)
      + (options.computesSeparations ? perSeparation : 0)
    return nanoseconds * Double(count) / 1e9 / Double(max(options.threads, 1))
  }

  var description: String {
    "about \(Quantity(amount: Double(pointCount), unit: "points")), \(ByteCount(scratch)) there, \(ByteCount(index)) for "
      + "the index and \(Self.time(seconds))"
  }

  /// In words, to a unit that does not promise more than is known.
  static func time(_ seconds: Double) -> String {
    if seconds < 60 { return "less than a minute" }
    let minutes = Int((seconds / 60).rounded(.up))
    if minutes < 120 { return minutes == 1 ? "a minute" : "\(minutes) minutes" }
    return "\(Int((Double(minutes) / 60).rounded(.up))) hours"
  }
}
