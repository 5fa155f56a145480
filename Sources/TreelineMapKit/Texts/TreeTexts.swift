import Treeline
import TreelineMap

/// Texts on badges, for the shown tree and for the tree that will be shown next.
@_spi(MapLibre) public struct TreeTexts {
  /// Texts of the shown tree.
  public private(set) var current: BadgeTexts

  private var next: (tree: ClusterTree, texts: BadgeTexts)?

  /// Creates the texts of the first tree.
  public init(_ texts: BadgeTexts) { current = texts }

  /// Sets the texts of the tree that will be shown next.
  ///
  /// - Parameters:
  ///   - texts: Texts of the tree; nil if the rows of its points have not changed.
  ///   - tree: The tree; nil if no tree will be shown.
  ///   - scene: The badges that are shown until the next tree is shown.
  public mutating func expect(_ texts: BadgeTexts?, of tree: ClusterTree?, after scene: MapScene) {
    // If no texts are given and the tree is already shown, perhaps with another filter, the current texts stay.
    if let tree, texts == nil, scene.shows(tree) { return next = nil }
    let texts = texts ?? next?.texts ?? current
    if let tree { next = (tree, texts) } else { (current, next) = (texts, nil) }
  }

  /// Switches to the texts of the next tree if that tree is now shown.
  ///
  /// - Returns: Whether texts on badges may have changed.
  public mutating func follow(_ scene: MapScene) -> Bool {
    guard let next, scene.shows(next.tree) else { return false }
    (current, self.next) = (next.texts, nil)
    return true
  }
}
