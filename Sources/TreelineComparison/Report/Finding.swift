/// What a comparison comes to over all its views: means, and who is better how often.
struct Finding {
  let measure: Measure

  /// The mean over the views in which every method has a value, method by method.
  let means: [Double]

  /// In how many views each method alone has the best value, as far as its text tells.
  let wins: [Int]

  private let isRanked: [Bool]

  /// How many views there are with a value of every method.
  let viewCount: Int

  /// - Returns: nil where no view has values of all methods.
  init?(_ measure: Measure, in views: [ViewComparison]) {
    let values = views.map { $0.values(of: measure) }.filter { !$0.contains(nil) }.map { $0.map { $0! } }
    guard let first = values.first else { return nil }
    self.measure = measure
    let isRanked = views[0].isRanked
    self.isRanked = isRanked
    viewCount = values.count
    means = first.indices.map { method in values.reduce(0) { $0 + $1[method] } / Double(values.count) }
    wins = first.indices.map { method in
      values.count { row in
        let best = measure.best(of: row, isRanked: isRanked)
        return best[method] && best.count { $0 } == 1
      }
    }
  }

  /// What a method's mean is told against: the first method's, and for the first that of the best of the others.
  func rival(of method: Int) -> Int {
    guard method == 0 else { return 0 }
    return means.indices.dropFirst().filter { isRanked[$0] }.min {
      measure.rank(means[$0]) < measure.rank(means[$1])
    } ?? 0
  }

  /// The methods with the best mean; none where all means read the same.
  var best: [Bool] { measure.best(of: means, isRanked: isRanked) }
}
