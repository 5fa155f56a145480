import CTreeline
import Treeline
import TreelineBuilder

// An index of points that come in batches, beyond memory, on one machine.

final class StreamObject {
  private let destination: IndexDestination
  private let folder: ScratchFolder
  private let build: ScratchBuild
  private var rowCount = 0
  private var isFinished = false

  init(_ path: String, overwriting: Bool, _ options: (ScratchBuild.Options, scratch: String?)) throws {
    destination = try IndexDestination(path, overwriting: overwriting)
    folder = try ScratchFolder(ScratchFolder.path(forIndex: path, in: options.scratch), keepsFiles: false)
    build = ScratchBuild(in: folder, identity: "", options.0)
  }

  deinit { folder.remove() }

  func add(_ points: treeline_points, refused: UnsafeMutablePointer<UInt8>?) throws {
    guard !isFinished else { throw Self.finished }
    var coordinates = points.coordinates
    let firstRow = rowCount
    var skippedRows: [Int] = []
    if let refused {
      coordinates = coordinates.removing(notOn: build.projection, noting: refused)
      skippedRows = (0..<points.count).filter { refused[$0] != 0 }.map { firstRow + $0 }
    }
    try build.append(coordinates, skippedRows: skippedRows)
    rowCount += points.count
  }

  func finish(_ monitor: treeline_monitor?) throws {
    guard !isFinished else { throw Self.finished }
    isFinished = true
    try build.finishReading(checksum: 0)
    let missing = build.space.scratch - 8 * build.pointCount
    if let free = folder.freeSpace, free < missing {
      throw PieceError.scratch(
        path: folder.path, action: "put up to \(missing) bytes there", reason: "only \(free) are free")
    }
    let steps = PieceSteps(monitor)
    build.progress = { steps.report($0, $1, of: $2) }
    if let cancellation = monitor?.cancellation?.object(CancellationObject.self).cancellation {
      build.stops(with: cancellation)
    }
    try build.finish(to: destination)
    folder.remove()
  }

  private static let finished = ArgumentError("expected a build that goes on, found one that is finished")
}

@_cdecl("treeline_stream_create")
public func createStream(
  _ path: UnsafePointer<CChar>, _ options: UnsafePointer<CChar>?, _ description: UnsafePointer<treeline_description>?,
  _ overwriting: Bool, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let options = try read(options) { parameters in
      var options = ScratchBuild.Options(
        rule: parameters.splitRule ?? .standard, threads: parameters.integer("threads", in: 1...1024),
        memory: parameters.integer("memory", in: 1...1 << 60) ?? 1 << 30,
        projection: parameters.flag("planar") ? .planar : .webMercator)
      options.description = IndexDescription(description?.pointee)
      options.computesSeparations = !parameters.flag("no-separation")
      return (options, scratch: parameters.text("scratch"))
    }
    if BuildPlan.isBeyond(options.0.rule) { _ = try BuildPlan(rule: options.0.rule, pieceSize: 1 << 20) }
    return try StreamObject(String(cString: path), overwriting: overwriting, options)
  }
}

@_cdecl("treeline_stream_add")
public func addToStream(
  _ stream: OpaquePointer, _ points: UnsafePointer<treeline_points>, _ refused: UnsafeMutablePointer<UInt8>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    try stream.object(StreamObject.self).add(points.pointee, refused: refused)
  } != nil
}

@_cdecl("treeline_stream_finish")
public func finishStream(_ stream: OpaquePointer, _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace)
  -> Bool
{
  attempt(error) { try stream.object(StreamObject.self).finish(monitor?.pointee) } != nil
}

@_cdecl("treeline_stream_free") public func freeStream(_ stream: OpaquePointer?) { stream?.release() }
