import PointSets
import Treeline

/// Finds the nodes that are shown at a required distance, from the definition of separations, and checks the
/// conditions that these nodes must meet.
struct SeparationCuts {
  let codes: ContiguousArray<UInt16>
  private let outline: TreeOutline
  private let positions: [PlanePoint]
  /// Code of each entry; 0 for leaves.
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

  /// Returns the entries that are shown if any two of them must be a distance apart.
  func shown(at required: SeparationCode) -> [Int] {
    outline.entries.indices.filter { entry in
      separations[entry] < required.rawValue
        && outline.entries[entry].parent.map { separations[$0] >= required.rawValue } ?? true
    }
  }

  /// Returns descriptions of the promises that are broken at a distance; empty if all are kept.
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

    // Compares with the exact square of the distance, and also with the square of the distance of its code.
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
