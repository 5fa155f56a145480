import Foundation
import Treeline

/// The size of a picture or a screen, in pixels.
@_spi(Server) public struct PictureSize: Hashable, Sendable {
  let width: Double
  let height: Double

  /// - Throws: `ComparisonError` where a side is not above 0 and finite.
  public init(width: Double, height: Double) throws(ComparisonError) {
    guard width > 0, height > 0, width.isFinite, height.isFinite else {
      throw .sizeNotPositive(width: width, height: height)
    }
    self.width = width
    self.height = height
  }

  package static let standard = try! PictureSize(width: 1024, height: 768)

  /// The largest zoom, at most 24, at which a part of the plane fits; there a unit is a pixel.
  func zoom(fittingWidth units: Double, height unitsHigh: Double) -> Double {
    24 - log2(max(units / width, unitsHigh / height, 1))
  }
}

/// A position in the picture of a view, in pixels from its top left corner: x to the right, y down.
package struct PixelPoint: Hashable, Sendable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// In pixels squared.
  ///
  /// - Parameter turn: How wide the world is in pixels, of whose two directions the shorter counts.
  func squaredDistance(to other: PixelPoint, turn: Double = .infinity) -> Double {
    var dx = abs(other.x - x)
    dx = min(dx, abs(turn - dx))
    let dy = other.y - y
    return dx * dx + dy * dy
  }
}
