import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineFormats

@_cdecl("treeline_cancellation_create")
public func createCancellation() -> OpaquePointer { OpaquePointer(owning: BuildCancellation()) }

@_cdecl("treeline_cancellation_cancel")
public func cancel(_ cancellation: OpaquePointer?) { cancellation.objectIfAny(BuildCancellation.self)?.cancel() }

@_cdecl("treeline_cancellation_free")
public func freeCancellation(_ cancellation: OpaquePointer?) { cancellation?.release() }

@_cdecl("treeline_build")
public func buildTree(
  _ points: UnsafePointer<treeline_points>?, _ columns: UnsafePointer<treeline_column>?, _ columnCount: Int,
  _ options: UnsafePointer<CChar>?, _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let points = try given(points, "points").pointee
    let pointCount = try points.checkedCount
    let columns = try inputColumns(columns, columnCount, pointCount: pointCount)
    let options = try read(options) { parameters in
      (
        build: BuildOptions(&parameters), groupBy: parameters.text("group-by"),
        neverCluster: parameters.text("never-cluster"), isPlanar: parameters.flag("planar"),
        isEditable: parameters.flag("editable")
      )
    }
    let groups = try PointGroups(columns, groupBy: options.groupBy, neverCluster: options.neverCluster, pointCount)
    let coordinates = try points.coordinates
    let projection = options.isPlanar ? Plane.Projection.planar : .webMercator
    let tree = try ClusterTree.build(
      coordinates, groupedBy: groups, as: projection, options: options.build,
      cancellation: monitor?.pointee.buildCancellation ?? BuildCancellation(), progress: monitor?.pointee.report)
    let isEditable = options.isEditable && groups == nil
    let editable = isEditable ? EditableTree(tree, of: coordinates, as: projection, options: options.build) : nil
    return try TreeObject(tree, adding: columns, editable: editable, monitor?.pointee)
  }
}

extension TreeObject {
  /// Makes an object of a tree and its columns, which C passes.
  convenience init(
    _ tree: ClusterTree, adding columns: [InputColumn], editable: EditableTree?, _ monitor: treeline_monitor?
  ) throws {
    let whole =
      columns.isEmpty
      ? tree
      : try tree.adding(
        columns: columns.map(\.indexColumn), stoppingWith: monitor?.buildCancellation, progress: monitor?.report)
    self.init(whole, editable: editable)
  }
}

extension treeline_points {
  /// Number of points, which is checked against the limit of an index.
  ///
  /// - Throws: `BuildError.tooManyPoints` for more than 2^31 points; `ArgumentError` for more than 2^63 points.
  var checkedCount: Int {
    get throws {
      // A negative count is an unsigned count beyond the range of `Int`.
      guard count >= 0 else { throw ArgumentError("\(size(count)) points do not fit into memory") }
      guard count <= IndexHeader.maximumPointCount else { throw BuildError.tooManyPoints(found: count) }
      return count
    }
  }

  /// The coordinates of the points.
  ///
  /// - Throws: `ArgumentError` if an array is NULL, or if an array with the given stride would not fit into memory.
  var coordinates: [Coordinate] {
    get throws {
      let count = try checkedCount
      guard count > 0 else { return [] }
      let (xs, ys) = (UnsafeRawPointer(try given(x, "x of points")), UnsafeRawPointer(try given(y, "y of points")))
      let (xStride, yStride) = (x_stride == 0 ? 8 : x_stride, y_stride == 0 ? 8 : y_stride)
      for stride in [xStride, yStride] where !fitsMemory(count, stride: stride) {
        throw ArgumentError(
          "\(count) points with an x stride of \(xStride) and a y stride of \(yStride) bytes do not fit into memory")
      }
      return Array(unsafeUninitializedCapacity: count) { coordinates, initializedCount in
        for row in 0..<count {
          coordinates.initializeElement(
            at: row,
            to: Coordinate(
              longitude: xs.loadUnaligned(fromByteOffset: row * xStride, as: Double.self),
              latitude: ys.loadUnaligned(fromByteOffset: row * yStride, as: Double.self)))
        }
        initializedCount = count
      }
    }
  }
}

extension treeline_monitor {
  /// The object with which C can cancel builds; nil if C passes none.
  var buildCancellation: BuildCancellation? { cancellation.objectIfAny(BuildCancellation.self) }

  var report: (@Sendable (BuildProgress) -> Void)? {
    guard let progress else { return nil }
    nonisolated(unsafe) let context = context
    return { step in step.stage.rawValue.withCString { progress(context, $0, step.fraction) } }
  }
}

extension PointGroups {
  /// Creates groups from the values of one or two columns; nil if the caller names no column.
  fileprivate init?(_ columns: [InputColumn], groupBy: String?, neverCluster: String?, _ pointCount: Int) throws {
    if groupBy == nil && neverCluster == nil { return nil }
    func column(_ name: String?, _ purpose: String) throws -> InputColumn? {
      guard let name else { return nil }
      guard let column = columns.first(where: { $0.name == name }) else {
        throw ArgumentError(
          "expected the column \(name.debugDescription), \(purpose), found "
            + (columns.isEmpty ? "no columns" : columns.map(\.name.debugDescription).joined(separator: ", ")))
      }
      return column
    }
    let names = try column(groupBy, "whose values are groups")
    let alone = try column(neverCluster, "which marks points that are never clustered")
    try self.init(
      (0..<pointCount).map { row in
        try alone?.isTrue(row) ?? false ? .neverClustered : .named(names?.value(row).plainText ?? "")
      })
  }
}
