import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder

// Steps of a build in pieces whose tree grows by merging. One process merges all positions. The pieces have only the
// rows and codes of points, and may be built by other processes.

final class MergingObject: CObject {
  static let noun = "a merging"
  private let folder: ScratchFolder
  private let options: BuildOptions
  private let pieceSize: Int
  private var build: MappedMergeBuild?
  private var merged: MergedPieces?

  init(
    _ survey: PointSurvey, in folder: String, _ text: UnsafePointer<CChar>?, _ monitor: treeline_monitor?
  ) throws {
    let (memory, hasRows): (Int, Bool)
    (options, pieceSize, memory, hasRows) = try read(text) { parameters in
      (
        BuildOptions(&parameters),
        parameters.integer("piece-size", in: BuildPlan.leastPieceSize...1 << 31) ?? 1_000_000,
        parameters.integer("memory", in: 1...1 << 60) ?? 1 << 30, parameters.flag("rows")
      )
    }
    try refuseInPieces(options.growth)
    guard options.growth.mergeMetric != nil else {
      throw ArgumentError("expected for=spacing or for=badges, found options of a tree that grows by splitting")
    }
    self.folder = try ScratchFolder(folder, keepsFiles: false)
    // Only one thread at a time reports progress.
    nonisolated(unsafe) let steps = PieceSteps(monitor)
    build = try MappedMergeBuild(
      survey, hasRows: hasRows, memory: memory, in: self.folder,
      stoppingWith: monitor?.buildCancellation
    ) { steps.report(.merging, $0, of: $1) }
  }

  deinit {
    build = nil
    merged = nil
    folder.remove()
  }

  func add(_ points: UnsafeBufferPointer<PlanePoint>, rows: UnsafeBufferPointer<Int64>?) throws {
    guard let build else { throw ArgumentError("the points are merged already; create another merging") }
    guard rows != nil || points.isEmpty || !build.hasRows else {
      throw ArgumentError("the merging was created with rows=true; pass the row of each point")
    }
    if let row = rows?.first(where: { $0 < 0 }) {
      throw ArgumentError("expected a row number of 0 or more, found \(row)")
    }
    try build.add(points, rows: rows)
  }

  /// Merges the points, unless they are merged already.
  func finish() throws -> MergedPieces {
    if let merged { return merged }
    guard let build else { throw ArgumentError("the merging has failed; create another merging") }
    self.build = nil
    let found = try build.finish(options, pieceSize: pieceSize)
    merged = found
    return found
  }

  func finished() throws -> MergedPieces {
    guard let merged else { throw ArgumentError("the points are not merged yet; call treeline_merging_pieces first") }
    return merged
  }
}

/// Refuses a tree that can be built only in memory.
func refuseInPieces(_ growth: Growth) throws {
  guard let reason = IndexBuild.obstacle(to: growth) else { return }
  throw PieceError.unsupported(
    what: "A tree \(growth.phrase)", reason: reason, remedy: "choose another growth, or build in memory")
}

@_cdecl("treeline_merging_create")
public func createMerging(
  _ survey: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    try MergingObject(
      survey.object(SurveyObject.self).survey, in: text(folder, "a folder"), options, monitor?.pointee)
  }
}

@_cdecl("treeline_merging_add_points")
public func addPointsToMerging(
  _ merging: OpaquePointer?, _ positions: UnsafePointer<UInt32>?, _ rows: UnsafePointer<Int64>?, _ count: Int,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let object = try merging.object(MergingObject.self)
    try object.add(
      planePoints(positions, count), rows: rows == nil ? nil : try array(rows, count, of: "rows"))
  } != nil
}

@_cdecl("treeline_merging_pieces")
public func mergingPieces(_ merging: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { BytesObject(try merging.object(MergingObject.self).finish().plan.bytes) }
}

@_cdecl("treeline_merging_places")
public func mergingPlaces(
  _ merging: OpaquePointer?, _ first: Int, _ count: Int, _ places: UnsafeMutablePointer<UInt32>?, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let merged = try merging.object(MergingObject.self).finished()
    let pointCount = merged.plan.pointCount
    guard 0...pointCount ~= first, 0...pointCount - first ~= count else {
      throw ArgumentError("expected some of \(pointCount) points, found \(size(count)) points after \(size(first))")
    }
    if count == 0 { return }
    let places = try given(places, "memory for places")
    _ = UnsafeMutableBufferPointer(start: places, count: count).update(
      fromContentsOf: merged.places(of: first..<first + count))
  } != nil
}

@_cdecl("treeline_merging_free") public func freeMerging(_ merging: OpaquePointer?) { merging?.release() }
