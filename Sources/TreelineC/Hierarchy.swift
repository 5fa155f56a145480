import CTreeline
@_spi(Server) import Treeline

@_cdecl("treeline_hierarchy")
public func hierarchy(
  _ tree: OpaquePointer?, _ most: Int, _ plane: UnsafeMutablePointer<treeline_plane>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).unfiltered
    let plane = try given(plane, "memory for a plane")
    guard most != 0 else { throw ArgumentError("expected room for one leaf or more, found 0") }
    let leaves = try tree.top(most: Int(min(size(most), size(max(tree.pointCount, 1))))).leaves
    plane.pointee = tree.cPlane
    func integers(_ name: String, _ value: (TreeTop.Leaf) -> some BinaryInteger) -> TableColumn {
      TableColumn(name, integers: leaves.map { Int64(clamping: value($0)) })
    }
    func doubles(_ name: String, _ value: (TreeTop.Leaf) -> Float) -> TableColumn {
      TableColumn(name, doubles: leaves.map { Double(value($0)) })
    }
    return Table([
      integers("count", \.count), integers("min_x", \.box.minX), integers("min_y", \.box.minY),
      integers("max_x", \.box.maxX), integers("max_y", \.box.maxY), integers("level", \.level),
      integers("code", \.code), integers("stand_right") { $0.isStandRight ? 1 : 0 }, integers("own_code", \.ownCode),
      integers("sum_x", \.sums.x), integers("sum_y", \.sums.y), integers("stand_x", \.stand.x),
      integers("stand_y", \.stand.y), doubles("xx", \.spread.xx), doubles("xy", \.spread.xy),
      doubles("yy", \.spread.yy),
    ])
  }
}

@_cdecl("treeline_badge_curve")
public func badgeCurve(_ tree: OpaquePointer?) -> OpaquePointer? {
  guard let tree = tree.objectIfAny(TreeObject.self)?.tree else { return nil }
  let steps = tree.badgeCurve?.steps ?? []
  return OpaquePointer(
    owning: Table([
      TableColumn("count", integers: steps.map { Int64($0.pointCount) }),
      TableColumn("diameter", doubles: steps.map { Double($0.diameter) / 64 }),
    ]))
}

extension ClusterTree {
  fileprivate var cPlane: treeline_plane {
    withStorage { storage in
      treeline_plane(
        seam: plane.seam, crosses_seam: storage.mergeTraits.contains(.acrossSeam),
        badge_distance: badgeCurve?.distance(unitsPerPixel: 0) ?? .nan)
    }
  }
}
