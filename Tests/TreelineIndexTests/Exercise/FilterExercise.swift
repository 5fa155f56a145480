import Treeline

/// Reads a text as a filter and as aggregates, writes them as text again, and uses them in queries of a tree.
struct FilterExercise {
  private let tree: ClusterTree

  /// - Parameter tree: A tree with columns whose names are likely in texts, such as `n`.
  init(_ tree: ClusterTree) { self.tree = tree }

  func run(_ text: String) {
    do { try ask(try Filter(text)) } catch {
      // The error is described in three lines. The last line ends with a caret.
      if let error = error as? FilterTextError { precondition("\(error)".hasSuffix("^")) } else { _ = "\(error)" }
    }
    do {
      let aggregates = try Aggregate.list(text)
      // Aggregates that are written as text and read again must be equal.
      let again = try? Aggregate.list(aggregates.map { "\($0)" }.joined(separator: ", "))
      precondition(again == aggregates)
      _ = try tree.clusters(.limit(3), in: .everything).values(of: aggregates)
    } catch { _ = "\(error)" }
  }

  private func ask(_ filter: Filter) throws {
    let written = "\(filter)"
    guard let again = try? Filter(written) else { preconditionFailure(written) }
    precondition("\(again)".utf8.elementsEqual(written.utf8), written)
    let passing = try tree.filtered(by: filter)
    let failing = try tree.filtered(by: !filter)
    let both = try passing.filtered(by: !filter)
    precondition(both.filteredPointCount == 0)
    precondition(passing.filteredPointCount + failing.filteredPointCount <= tree.pointCount)
    let clusters = try passing.clusters(.limit(3), in: .everything)
    precondition(clusters.reduce(0) { $0 + $1.pointCount } == passing.filteredPointCount)
  }
}
