import PointSets
import Treeline

/// The nodes shown at a required distance, by definition from separations, and the conditions that they must meet.
struct SeparationCuts {
  let codes: ContiguousArray<UInt16>
  private let outline: TreeOutline
  private let positions: [PlanePoint]
  /// Code of every entry, 0 for leaves.
  private let separations: [UInt16]

  init(_ outline: TreeOutline, _ codes: ContiguousArray<UInt16>) {
    self.codes = codes
    self.outline = outline
    positions = outline.entries.map { outline.meanPosition(of: $0) }
    separations = outline.entries.map { entry in
      entry.children.isEmpty ? 0 : codes[outline.entries[entry.children[1]].cluster.range.lowerBound]
    }
  }

  /// Entries whose separation is greater than their parent's.
  var growing: [Int] {
    outline.entries.indices.filter { entry in
      outline.entries[entry].parent.map { separations[entry] > separations[$0] } ?? false
    }
  }

  /// Returns the entries shown if any two must be a distance apart.
  func shown(at required: SeparationCode) -> [Int] {
    outline.entries.indices.filter { entry in
      separations[entry] < required.rawValue
        && outline.entries[entry].parent.map { separations[$0] >= required.rawValue } ?? true
    }
  }

  /// Returns what is wrong at a distance; empty if every promise is kept.
  func violations(at distance: Double) -> [String] {
    var violations: [String] = []
    let required = SeparationCode(atLeast: distance)
    let shown = shown(at: required)
    var end = 0
    for entry in shown {
      let range = outline.entries[entry].cluster.range
      if range.lowerBound != end { violations.append("\(range) does not follow \(end)") }
      end = range.upperBound
    }
    if end != outline.tree.pointCount { violations.append("points from \(end) are not shown") }

    // Uses both the exact square of the distance and the square of its code's distance.
    let exact = required == .beyondAll ? UInt64.max : required.squaredDistance
    for (index, entry) in shown.enumerated() {
      for other in shown[..<index] {
        let squared = squaredDistance(entry, other)
        if squared < exact || Double(squared).squareRoot() < distance {
          violations.append("\(entry) and \(other) are \(Double(squared).squareRoot()) apart")
        }
      }
      if required != .beyondAll, couldSplit(entry, among: shown, exact) { violations.append("\(entry) could be split") }
    }
    return violations
  }

  private func couldSplit(_ entry: Int, among shown: [Int], _ squared: UInt64) -> Bool {
    let children = outline.entries[entry].children
    guard !children.isEmpty, outline.ownSquaredDistance(of: entry, squaredDistance(children[0], children[1])) >= squared
    else { return false }
    return shown.allSatisfy { other in
      other == entry || min(squaredDistance(children[0], other), squaredDistance(children[1], other)) >= squared
    }
  }

  private func squaredDistance(_ a: Int, _ b: Int) -> UInt64 {
    outline.tree.plane.squaredDistance(positions[a], positions[b])
  }
}
