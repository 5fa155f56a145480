import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder

// Builds an index from points that arrive in batches. The points may need more memory than the machine has.

final class StreamObject: CObject {
  static let noun = "a stream"
  private let destination: IndexDestination
  private let folder: ScratchFolder
  private let build: IndexBuild
  private let columns: [InputColumn]
  private var rowCount = 0
  private var isFinished = false

  /// - Parameter columns: The columns. Only their names, types and kinds are read.
  init(
    _ path: String, overwriting: Bool, _ options: (IndexBuild.Options, scratch: String?), columns: [InputColumn]
  ) throws {
    self.columns = columns
    destination = try IndexDestination(path, overwriting: overwriting)
    folder = try ScratchFolder(ScratchFolder.path(forIndex: path, in: options.scratch), keepsFiles: false)
    build = IndexBuild(identity: "", options.0)
  }

  deinit { folder.remove() }

  /// Returns the row number of a point, given the index of the point in the batch that is added.
  func number(of point: Int, _ rows: UnsafePointer<Int64>?) -> Int {
    build.options.hasGivenRows ? rows.map { Int($0[point]) } ?? point : rowCount + point
  }

  /// Returns the coordinates of the points that can be added.
  ///
  /// - Parameter refused: Set to 1 for each point that is left out, and to 0 for all other points. If nil, points with
  ///   invalid coordinates are an error.
  func coordinates(of points: treeline_points, refused: UnsafeMutablePointer<UInt8>?) throws -> [Coordinate] {
    let coordinates = try points.coordinates
    return refused.map { coordinates.removing(notOn: build.projection, noting: $0) } ?? coordinates
  }

  /// - Parameters:
  ///   - count: Number of points, including the points that are left out.
  ///   - rows: Row of each point, if the stream was created with rows=true; otherwise ignored.
  ///   - values: Columns with the values of the points, in the order of the stream's columns.
  func add(
    _ coordinates: [Coordinate], of count: Int, rows: UnsafePointer<Int64>?, values: [InputColumn],
    refused: UnsafeMutablePointer<UInt8>?
  ) throws {
    guard !isFinished else { throw Self.finished }
    let (names, found) = (columns.map(\.name), values.map(\.name))
    guard names == found else {
      throw ArgumentError("expected values of \(list(names)), found values of \(list(found))")
    }
    let firstRow = rowCount
    let places = (0..<count).filter { refused?[$0] != 1 }
    var givenRows: [UInt64] = []
    if build.options.hasGivenRows {
      guard let rows else { throw ArgumentError("the stream was created with rows=true; pass the row of each point") }
      givenRows = try places.map { place in
        guard let row = UInt64(exactly: rows[place]) else {
          throw ArgumentError("expected a row number of 0 or more, found \(rows[place])")
        }
        return row
      }
    }
    let isWhole = places.count == count
    try build.append(
      coordinates,
      skippedRows: isWhole || build.options.hasGivenRows
        ? [] : (0..<count).filter { refused?[$0] == 1 }.map { firstRow + $0 },
      givenRows: givenRows,
      values: values.map { column in
        var found = ColumnValues()
        for place in places { found.append(column.value(place)) }
        return found
      })
    rowCount += count
    if build.exceedsMemory { try build.move(to: folder) }
  }

  func finish(_ monitor: treeline_monitor?) throws {
    guard !isFinished else { throw Self.finished }
    isFinished = true
    let steps = PieceSteps(monitor)
    build.progress = { steps.report($0, $1, of: $2) }
    if let cancellation = monitor?.buildCancellation { build.stops(with: cancellation) }
    try build.finishReading(checksum: 0)
    if let missing = build.missingSpace(for: destination) {
      let (action, reason) = ("write up to \(missing.expected) bytes", PieceError.lack(ofFree: missing.free))
      throw missing.isForScratch
        ? PieceError.scratch(path: missing.path, action: action, reason: reason)
        : PieceError.writing(.failed(path: missing.path, action: action, reason: reason))
    }
    try build.finish(to: destination)
    folder.remove()
  }

  private static let finished = ArgumentError("the stream is finished; create another stream")
}

@_cdecl("treeline_stream_create")
public func createStream(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ columns: UnsafePointer<treeline_column>?,
  _ columnCount: Int, _ description: UnsafePointer<treeline_description>?, _ overwriting: Bool, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let columns = try inputColumns(columns, columnCount, pointCount: 0)
    let options = try read(options) { parameters in
      let tree = BuildOptions(&parameters)
      var options = IndexBuild.Options(
        tree, memory: parameters.integer("memory", in: 1...1 << 60) ?? 1 << 30,
        projection: parameters.flag("planar") ? .planar : .webMercator)
      options.description = try IndexDescription(description?.pointee)
      options.hasGivenRows = parameters.flag("rows")
      options.columns = columns.map(\.requested)
      return (tree: tree, scratch: options, folder: parameters.text("scratch"))
    }
    try refuseInPieces(options.tree.growth)
    return try StreamObject(
      text(path, "a path"), overwriting: overwriting, (options.scratch, options.folder), columns: columns)
  }
}

@_cdecl("treeline_stream_add")
public func addToStream(
  _ stream: OpaquePointer?, _ points: UnsafePointer<treeline_points>?, _ rows: UnsafePointer<Int64>?,
  _ columns: UnsafePointer<treeline_column>?, _ columnCount: Int, _ refused: UnsafeMutablePointer<UInt8>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let points = try given(points, "points").pointee
    let stream = try stream.object(StreamObject.self)
    let count = try points.checkedCount
    let coordinates = try stream.coordinates(of: points, refused: refused)
    let values = try inputColumns(
      columns, columnCount, pointCount: count, number: { stream.number(of: $0, rows) }, isLeftOut: { refused?[$0] == 1 }
    )
    try stream.add(coordinates, of: count, rows: rows, values: values, refused: refused)
  } != nil
}

@_cdecl("treeline_stream_finish")
public func finishStream(_ stream: OpaquePointer?, _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace)
  -> Bool
{
  attempt(error) { try stream.object(StreamObject.self).finish(monitor?.pointee) } != nil
}

@_cdecl("treeline_stream_free") public func freeStream(_ stream: OpaquePointer?) { stream?.release() }
