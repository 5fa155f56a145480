import Treeline
import TreelineMap

/// What badges say: those of the tree that is shown, and those of the tree that is to be shown next.
@_spi(MapLibre) public struct TreeTexts {
  /// Of the tree that is shown.
  public private(set) var current: BadgeTexts

  private var next: (tree: ClusterTree, texts: BadgeTexts)?

  /// Of the first tree.
  public init(_ texts: BadgeTexts) { current = texts }

  /// Takes the texts of a tree that is to be shown.
  ///
  /// - Parameters:
  ///   - texts: nil where its rows number the same values as those before.
  ///   - tree: The tree; nil for none.
  ///   - scene: What is shown until then.
  public mutating func expect(_ texts: BadgeTexts?, of tree: ClusterTree?, after scene: MapScene) {
    // Another filter, which has badges say nothing else.
    if let tree, texts == nil, scene.shows(tree) { return next = nil }
    let texts = texts ?? next?.texts ?? current
    if let tree { next = (tree, texts) } else { (current, next) = (texts, nil) }
  }

  /// Takes over the texts of a tree once it is shown.
  ///
  /// - Returns: Whether badges may say something else than before.
  public mutating func follow(_ scene: MapScene) -> Bool {
    guard let next, scene.shows(next.tree) else { return false }
    (current, self.next) = (next.texts, nil)
    return true
  }
}
