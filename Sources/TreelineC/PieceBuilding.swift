import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder

// These steps of a build in pieces come after the plan: they build the pieces, and assemble the index.

final class PiecesObject: CObject {
  static let noun = "pieces"
  let plan: PiecePlan

  init(_ plan: PiecePlan) { self.plan = plan }
}

@_cdecl("treeline_pieces_read")
public func readPieces(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { PiecesObject(try PiecePlan(bytes: bytes(start, count))) }
}

@_cdecl("treeline_pieces_table")
public func piecesTable(_ pieces: OpaquePointer?) -> OpaquePointer? {
  guard let tasks = pieces.objectIfAny(PiecesObject.self)?.plan.pieces else { return nil }
  return OpaquePointer(
    owning: Table([
      TableColumn("point_count", integers: tasks.map { Int64($0.pointCount) }),
      TableColumn("is_stack", booleans: tasks.map(\.isStack)),
    ]))
}

@_cdecl("treeline_pieces_find")
public func findPieces(
  _ pieces: OpaquePointer?, _ positions: UnsafePointer<UInt32>?, _ count: Int, _ numbers: UnsafeMutablePointer<UInt32>?
) {
  guard let numbers, let positions = try? planePoints(positions, count) else { return }
  pieces.objectIfAny(PiecesObject.self)?.plan.findPieces(of: positions, to: numbers)
}

@_cdecl("treeline_pieces_task")
public func pieceTask(_ pieces: OpaquePointer?, _ number: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let tasks = try pieces.object(PiecesObject.self).plan.pieces
    guard tasks.indices.contains(number) else {
      throw ArgumentError("expected a piece number from 0 to less than \(tasks.count), found \(size(number))")
    }
    return BytesObject(tasks[number].bytes)
  }
}

@_cdecl("treeline_pieces_free") public func freePieces(_ pieces: OpaquePointer?) { pieces?.release() }

// MARK: - A piece

final class PieceObject: CObject {
  static let noun = "a piece"
  var piece: CollectedPiece

  init(_ task: PieceTask, columns: [ColumnEncoding]) { piece = CollectedPiece(task, columns: columns) }
}

@_cdecl("treeline_piece_create")
public func createPiece(
  _ start: UnsafeRawPointer?, _ count: Int, _ encoding: OpaquePointer?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) { PieceObject(try PieceTask(bytes: bytes(start, count)), columns: encoding.encodedColumns) }
}

@_cdecl("treeline_piece_add")
public func addToPiece(
  _ piece: OpaquePointer?, _ positions: UnsafePointer<UInt32>?, _ rows: UnsafePointer<Int64>?,
  _ codes: UnsafePointer<UInt8>?, _ count: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let object = try piece.object(PieceObject.self)
    let (positions, rows) = (try planePoints(positions, count), try array(rows, count, of: "rows"))
    guard fitsMemory(count, stride: object.piece.codeLength) else {
      throw ArgumentError("the codes of \(count) points do not fit into memory")
    }
    let length = object.piece.codeLength * count
    guard length == 0 || codes != nil else { throw ArgumentError("expected codes of \(count) points, found NULL") }
    try object.piece.add(positions, rows: rows, codes: UnsafeRawBufferPointer(start: codes, count: length))
  } != nil
}

@_cdecl("treeline_piece_write")
public func writePiece(_ piece: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ threads: Int, _ error: ErrorPlace)
  -> Bool
{
  attempt(error) { () -> Void in
    guard 1...1024 ~= threads else { throw ArgumentError("expected 1 to 1024 threads, found \(size(threads))") }
    try piece.object(PieceObject.self).piece.write(to: PieceFolder(text(folder, "a folder")), threads: threads)
  } != nil
}

@_cdecl("treeline_piece_free") public func freePiece(_ piece: OpaquePointer?) { piece?.release() }

// MARK: - The index

@_cdecl("treeline_assemble")
public func assemble(
  _ pieces: OpaquePointer?, _ survey: OpaquePointer?, _ encoding: OpaquePointer?, _ merging: OpaquePointer?,
  _ folder: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
  _ description: UnsafePointer<treeline_description>?, _ overwriting: Bool,
  _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let (plan, survey) = (try pieces.object(PiecesObject.self).plan, try survey.object(SurveyObject.self).survey)
    guard plan.pointCount == survey.pointCount else {
      throw ArgumentError(
        "expected a survey of the plan's \(plan.pointCount) points, found a survey of \(survey.pointCount) points")
    }
    let merged = merging == nil ? nil : try merging.object(MergingObject.self).finished()
    guard (merged == nil) == (plan.rule != nil), merged?.plan.pointCount ?? plan.pointCount == plan.pointCount else {
      throw ArgumentError(
        "expected the pieces of \(merged == nil ? "a tree that grew by splitting" : "this merging"), found other pieces"
      )
    }
    let destination = try IndexDestination(text(path, "a path"), overwriting: overwriting)
    let steps = PieceSteps(monitor?.pointee)
    let folder = try text(folder, "a folder")
    var assembly = IndexAssembly(
      of: plan, survey, columns: encoding.encodedColumns, description: try IndexDescription(description?.pointee))
    assembly.merged = merged
    try assembly.write(to: destination, piecesFrom: PieceFolder(folder)) { steps.report(.writing, $0, of: $1) }
  } != nil
}

extension IndexDescription {
  init(_ description: treeline_description?) throws {
    try self.init(
      title: string(description?.title, "a title"), attribution: string(description?.attribution, "an attribution"),
      unit: string(description?.unit, "a unit"))
  }
}

/// Reports the progress of a build in pieces to the C caller, at most once per percent of each stage.
final class PieceSteps {
  private let monitor: treeline_monitor?
  private var told: (stage: IndexBuild.Stage, percent: Int)?

  init(_ monitor: treeline_monitor?) { self.monitor = monitor }

  var isCancelled: Bool {
    monitor?.buildCancellation?.isCancelled ?? false
  }

  /// Reports progress.
  ///
  /// - Parameter total: Number of steps in the stage; 0 if the number is unknown.
  /// - Returns: Whether the build should continue.
  @discardableResult func report<Count: BinaryInteger>(_ stage: IndexBuild.Stage, _ done: Count, of total: Count)
    -> Bool
  {
    let percent = total > 0 ? Int(100 * Double(done) / Double(total)) : 0
    if let progress = monitor?.progress, told?.stage != stage || percent > told!.percent {
      told = (stage, percent)
      let fraction = total > 0 ? Double(done) / Double(total) : 0
      stage.rawValue.withCString { progress(monitor!.context, $0, fraction) }
    }
    return !isCancelled
  }
}
