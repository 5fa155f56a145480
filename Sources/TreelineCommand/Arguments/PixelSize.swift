import ArgumentParser

/// A screen's width and height in pixels, written `1024x768`.
struct PixelSize: ExpressibleByArgument, Hashable, Sendable {
  var width: Int
  var height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      Self.sides ~= width, Self.sides ~= height
    else { return nil }
    self.init(width: width, height: height)
  }

  static let sides = 16...16_384

  var defaultValueDescription: String { "\(width)x\(height)" }
}
