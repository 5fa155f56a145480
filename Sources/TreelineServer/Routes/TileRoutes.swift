import Treeline
@_spi(Server) import TreelineFormats

/// Vector tiles, and what a map needs to know to ask for them.
enum TileRoutes {
  static func tile(_ asked: inout Asked) throws -> Answer {
    try checkProjection(asked.tree)
    let (index, query) = (asked.index, TileQuery(&asked.parameters, of: asked.tree))
    let zoom = try asked.number("z")
    guard let address = TileAddress(zoom: zoom, x: try asked.number("x"), y: try asked.number("y")) else {
      throw Problem.notFound(
        "There is no such tile: zooms go to \(TileAddress.greatestZoom), and of zoom z there are 2^z columns and rows."
      )
    }
    return Answer(Answer.vectorTile) { bytes in
      let tile = try query.tile(address, of: index)
      tile.withUnsafeBufferPointer { bytes.append($0) }
    }
  }

  /// The query is that of the tiles too.
  static func tileJSON(_ asked: inout Asked) throws -> Answer {
    try checkProjection(asked.tree)
    _ = TileQuery(&asked.parameters, of: asked.tree)
    let (index, root) = (asked.index, asked.root)
    let query = asked.query.map { "?" + $0 } ?? ""
    return Answer(Answer.json) { bytes in
      let tree = index.tree
      let bounds = tree.root?.bounds ?? .world
      let isAcross = bounds.west > bounds.east
      let middle = tree.root.map { tree.plane.coordinate(x: $0.rect.middleX, y: $0.rect.middleY) }
      let format = CoordinateFormat(of: tree.plane)
      bytes.append("{\"tilejson\":\"3.0.0\",\"name\":")
      bytes.append(json: index.name)
      bytes.append(",\"scheme\":\"xyz\",\"tiles\":[")
      bytes.append(json: "\(root ?? "")/v1/\(index.name)/tiles/{z}/{x}/{y}.mvt\(query)")
      bytes.append("],\"minzoom\":0,\"maxzoom\":22,\"bounds\":[")
      // TileJSON knows no box across the antimeridian.
      for edge in [isAcross ? -180 : bounds.west, bounds.south, isAcross ? 180 : bounds.east] {
        format.append(edge, to: &bytes)
        bytes.append(",")
      }
      format.append(bounds.north, to: &bytes)
      bytes.append("],\"center\":[")
      format.append(middle?.longitude ?? 0, to: &bytes)
      bytes.append(",")
      format.append(middle?.latitude ?? 0, to: &bytes)
      bytes.append(",")
      bytes.append(tree.root?.rect.zoomToFit ?? 0)
      bytes.append(
        "],\"vector_layers\":[{\"id\":\"clusters\",\"description\":\"Clusters and single points\",\"fields\":{"
      )
      bytes.append("\"cluster\":\"Boolean\",\"cluster_id\":\"Number\",\"point_count\":\"Number\",")
      bytes.append("\"point_count_abbreviated\":\"String\",\"stack\":\"Boolean\",\"index\":\"Number\"")
      let columns = zip(tree.attributeNames, tree.attributeTypes).map {
        (name: $0, value: AttributeValue.string($1.rawValue))
      }
      FeatureProperties.forEachColumn(columns) { name, type in
        bytes.append(",")
        bytes.append(json: name)
        bytes.append(":")
        bytes.append(json: type)
      }
      bytes.append("}}]}\n")
    }
  }

  private static func checkProjection(_ tree: ClusterTree) throws(Problem) {
    guard tree.plane.projection == .webMercator else {
      throw .notFound("Tiles are of the Web Mercator plane, and this index is on a plain plane.")
    }
  }
}

extension PlaneRect {
  fileprivate var middleX: Double { Double(minX) + Double(width) / 2 }
  fileprivate var middleY: Double { Double(minY) + Double(height) / 2 }

  /// The greatest whole zoom at which one tile is as large, at most 14.
  fileprivate var zoomToFit: Int { min(max(width, height).leadingZeroBitCount, 14) }
}
