import Treeline
@_spi(Server) import TreelineFormats

/// What is served.
enum IndexRoutes {
  static func index(_ asked: inout Asked) -> Answer {
    let index = asked.index
    return Answer(Answer.json) { bytes in
      write(index, to: &bytes)
      bytes.append("\n")
    }
  }

  static func all(_ indexes: [ServedIndex]) -> Answer {
    Answer(Answer.json) { bytes in
      bytes.append("{\"indexes\":[")
      for (number, index) in indexes.enumerated() {
        if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
        write(index, to: &bytes)
      }
      bytes.append("\n]}\n")
    }
  }

  private static func write(_ index: ServedIndex, to bytes: inout OutputBytes) {
    let (tree, format) = (index.tree, CoordinateFormat(of: index.tree.plane))
    bytes.append("{\"name\":")
    bytes.append(json: index.name)
    bytes.append(",\"version\":")
    bytes.append(json: index.version)
    bytes.append(",\"point_count\":")
    bytes.append(tree.pointCount)
    bytes.append(",\"projection\":")
    bytes.append(json: tree.plane.projection == .planar ? "plane" : "web-mercator")
    bytes.append(",\"bounds\":")
    if let bounds = tree.root?.bounds {
      bytes.append("[")
      for edge in [bounds.west, bounds.south, bounds.east] {
        format.append(edge, to: &bytes)
        bytes.append(",")
      }
      format.append(bounds.north, to: &bytes)
      bytes.append("]")
    } else {
      bytes.append("null")
    }
    bytes.append(",\"split\":")
    bytes.append(json: "\(tree.splitRule)")
    bytes.append(",\"has_separations\":")
    bytes.append(json: tree.hasSeparations)
    bytes.append(",\"columns\":[")
    for (number, name) in tree.attributeNames.enumerated() {
      if number > 0 { bytes.append(",") }
      bytes.append(json: name)
    }
    bytes.append("]}")
  }
}
