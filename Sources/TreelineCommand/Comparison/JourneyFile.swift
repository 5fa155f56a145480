import TreelineComparison
@_spi(Server) import TreelineFormats
import Treeline

/// A journey in a text file. Each line contains the west, south, east and north edges of a view, and the zoom of the
/// view, separated by commas. Lines that begin with `#` are comments.
enum JourneyFile {
  static func views(path: String) throws -> [Viewport] {
    let text = String(decoding: try InputContents.read(path: path), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    let views = try lines.compactMap { number, line -> Viewport? in
      let line = String(line.reversed().drop { $0.isWhitespace }.reversed())
      guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
      let numbers = line.split(separator: ",", omittingEmptySubsequences: false).map { Double(String($0)) }
      guard numbers.count == 5, numbers.allSatisfy({ $0?.isFinite ?? false }), 0...32 ~= numbers[4]! else {
        throw Failure.badData(
          "\(path):\(number + 1): expected five numbers (west,south,east,north,zoom) with a zoom from 0 to 32, "
            + "found '\(line)'")
      }
      return Viewport(
        BoundingBox(west: numbers[0]!, south: numbers[1]!, east: numbers[2]!, north: numbers[3]!), zoom: numbers[4]!)
    }
    guard views.count >= 2 else {
      throw Failure.badData("\(path): expected two or more views, one per line, found \(views.count)")
    }
    return views
  }
}
