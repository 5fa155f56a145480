import Testing
@_spi(Server) import Treeline
@testable import TreelineMap

/// A map view that only gets changes, and checks each change against the badges that it already shows.
struct RecordedView {
  /// Badges on the map, by id.
  private(set) var badges: [MapBadge.ID: MapBadge] = [:]

  /// Ids of the badges that the latest change contains.
  private(set) var touched: Set<MapBadge.ID> = []

  /// Descriptions of faults in changes.
  private(set) var problems: [String] = []

  private var everShown: Set<MapBadge.ID> = []

  mutating func apply(_ change: MapChange) {
    touched = []
    for badge in change.added {
      if !everShown.insert(badge.id).inserted { problems.append("\(badge.id) is added twice") }
      badges[badge.id] = badge
      touched.insert(badge.id)
    }
    for badge in change.updated {
      guard let old = badges[badge.id] else { problems.append("\(badge.id) is updated and not there"); continue }
      let isSame = old.cluster == badge.cluster && old.diameter == badge.diameter
      let isFiltered = badge.pointCount < badge.cluster.range.count
      if isSame && !isFiltered && old.appearance.isVisible == badge.appearance.isVisible
        && old.appearance.showsCount == badge.appearance.showsCount
      {
        problems.append("\(badge.id) is updated and the same")
      }
      replace(old, by: badge)
    }
    for badge in change.retargeted {
      guard let old = badges[badge.id] else { problems.append("\(badge.id) is retargeted and not there"); continue }
      if old.motion == badge.motion && !change.updated.contains(where: { $0.id == badge.id }) {
        problems.append("\(badge.id) is retargeted to where it goes")
      }
      replace(old, by: badge)
    }
    for move in change.moved {
      guard let old = badges[move.id] else { problems.append("\(move.id) moves and is not there"); continue }
      if old.appearance.place == move.place {
        problems.append("\(move.id) moves to where it is")
      }
      badges[move.id]!.appearance.place = move.place
      touched.insert(move.id)
    }
    for id in change.removed {
      if badges.removeValue(forKey: id) == nil { problems.append("\(id) is removed and not there") }
      touched.insert(id)
    }
  }

  /// Replaces a badge but keeps its place. Only moves may change the place of a badge.
  private mutating func replace(_ old: MapBadge, by badge: MapBadge) {
    badges[badge.id] = badge
    badges[badge.id]!.appearance.place = old.appearance.place
    touched.insert(badge.id)
  }

  /// Returns, for each point of a tree, how many badges count the point.
  func counts(of pointCount: Int) -> [UInt8] {
    var counts = [UInt8](repeating: 0, count: pointCount)
    for badge in badges.values where badge.appearance.showsCount {
      for point in badge.cluster.range { counts[point] += 1 }
    }
    return counts
  }
}

/// Checks a promise about the numbers that a view shows, frame by frame. No point is ever counted twice. A point that
/// is counted stays counted as long as the answers contain it.
struct CountedPoints {
  let pointCount: Int
  private var isInAnswer: [Bool]
  private var wasCounted: [Bool]

  init(pointCount: Int) {
    self.pointCount = pointCount
    isInAnswer = [Bool](repeating: false, count: pointCount)
    wasCounted = isInAnswer
  }

  mutating func answer(_ clusters: some Sequence<Cluster>) {
    isInAnswer = [Bool](repeating: false, count: pointCount)
    for cluster in clusters { for point in cluster.range { isInAnswer[point] = true } }
    for point in 0..<pointCount where !isInAnswer[point] { wasCounted[point] = false }
  }

  /// - Returns: A description of the fault; nil if there is none.
  mutating func problem(in view: RecordedView) -> String? {
    let counts = view.counts(of: pointCount)
    for point in 0..<pointCount {
      if counts[point] > 1 { return "point \(point) is in \(counts[point]) numbers" }
      if wasCounted[point] && counts[point] == 0 { return "point \(point) has lost its number" }
      if isInAnswer[point] && counts[point] == 1 { wasCounted[point] = true }
    }
    return nil
  }

  /// Returns the number of points that the view counts differently than the answer, after all changes have arrived.
  func uncounted(in view: RecordedView) -> Int {
    zip(view.counts(of: pointCount), isInAnswer).count { $0 != ($1 ? 1 : 0) }
  }
}
