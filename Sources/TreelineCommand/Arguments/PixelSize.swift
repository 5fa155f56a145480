import ArgumentParser

/// A screen's width and height in pixels, written `1024x768`.
struct PixelSize: Hashable, Sendable {
  var width: Int
  var height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  init(argument: String) throws {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], Self.sides ~= width, Self.sides ~= height
    else {
      throw ValidationError(
        "expected two numbers from \(Self.sides.lowerBound) to \(Self.sides.upperBound), as in 1024x768")
    }
    self.init(width: width, height: height)
  }

  static let sides = 16...16_384
}
