import Treeline

/// The size of a picture or a screen, in pixels.
public struct PictureSize: Hashable, Sendable {
  public let width: Double
  public let height: Double

  /// - Throws: `ComparisonError` where a side is not above 0 and finite.
  public init(width: Double, height: Double) throws(ComparisonError) {
    guard width > 0, height > 0, width.isFinite, height.isFinite else {
      throw .sizeNotPositive(width: width, height: height)
    }
    self.width = width
    self.height = height
  }

  private init(laptopWidth width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// 1024 by 768.
  public static let standard = PictureSize(laptopWidth: 1024, height: 768)

  /// The largest zoom at which a part of the plane fits, at most 24, where a unit is a pixel.
  func zoom(fittingWidth units: Double, height unitsHigh: Double) -> Double {
    let unitsPerPixel = max(units / width, unitsHigh / height, 1)
    return 24 - binaryLogarithm(unitsPerPixel)
  }
}
