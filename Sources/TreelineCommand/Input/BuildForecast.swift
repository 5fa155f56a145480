import TreelineBuilder

/// What a build in pieces will take, by what is known once the first points do not fit the memory.
struct BuildForecast: CustomStringConvertible {
  private let pointCount: Int
  private let scratch: Int
  private let index: Int
  private let seconds: Double

  /// What a point takes behind the reading on one core, in nanoseconds: each pass of the plan, and all the rest.
  /// Measured on a virtual machine; others differ by a factor of two or so.
  private static let (perPass, perPoint) = (20.0, 400.0)

  /// - Parameters:
  ///   - pointCount: About how many points there are.
  ///   - readingSeconds: How long it takes to read all of them, at the rate of the first.
  ///   - recordLength: Of a row, in bytes, where its columns are kept.
  init(pointCount: Int, readingSeconds: Double, _ options: ScratchBuild.Options, recordLength: Int) {
    self.pointCount = pointCount
    (scratch, index) = ((28 + 2 * recordLength) * pointCount, (20 + recordLength) * pointCount)
    let passes = Double(ScratchBuild.passCount(ofPoints: pointCount, options))
    let work = (passes * Self.perPass + Self.perPoint) * Double(pointCount) / 1e9
    seconds = readingSeconds + work / Double(max(options.threads, 1))
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
