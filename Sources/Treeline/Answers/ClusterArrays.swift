/// The properties of an answer's clusters. Each property is an array with one entry for each cluster.
package struct ClusterArrays {
  var ids: UnsafeMutablePointer<Int64>
  var pointCounts: UnsafeMutablePointer<Int64>
  var firsts: UnsafeMutablePointer<Int64>
  package var ends: UnsafeMutablePointer<Int64>
  /// The row number of each cluster that is a single point; -1 for other clusters.
  package var rows: UnsafeMutablePointer<Int64>
  /// The tree index of each cluster that is a single point; -1 for other clusters.
  package var treeIndices: UnsafeMutablePointer<Int64>
  package var longitudes: UnsafeMutablePointer<Double>
  package var latitudes: UnsafeMutablePointer<Double>

  /// - Parameters:
  ///   - start: The memory for eight arrays of 8-byte entries. The arrays are adjacent, in the order of the fields.
  ///   - count: The number of clusters.
  package init(at start: UnsafeMutableRawPointer, count: Int) {
    func array<Entry: BitwiseCopyable>(_ number: Int) -> UnsafeMutablePointer<Entry> {
      (start + 8 * count * number).assumingMemoryBound(to: Entry.self)
    }
    (ids, pointCounts, firsts, ends) = (array(0), array(1), array(2), array(3))
    (rows, treeIndices, longitudes, latitudes) = (array(4), array(5), array(6), array(7))
  }
}

extension Clusters {
  /// Writes the properties of all clusters to arrays. This takes less time than reading the clusters one by one.
  ///
  /// - Complexity: O(count)
  package func write(to arrays: ClusterArrays) {
    tree.withStorage { storage in
      guard tree.selection == nil, storage.anchors == nil else { return writeOneByOne(to: arrays) }
      for (number, node) in nodes.enumerated() {
        write(
          node, pointCount: Int64(node.count), treeIndex: node.count == 1 ? Int64(node.first) : -1, number, to: arrays)
        arrays.rows[number] = node.count == 1 ? Int64(storage.rows[Int(node.first)]) : -1
        (arrays.longitudes[number], arrays.latitudes[number]) = storage.mean(of: node)
      }
      tree.plane.makeCoordinates(ofX: arrays.longitudes, y: arrays.latitudes, count: nodes.count)
    }
  }

  private func writeOneByOne(to arrays: ClusterArrays) {
    for (number, node) in nodes.enumerated() {
      let cluster = self[node]
      write(
        node, pointCount: Int64(cluster.pointCount), treeIndex: Int64(cluster.treeIndex ?? -1), number, to: arrays)
      arrays.rows[number] = Int64(cluster.row ?? -1)
      let coordinate = cluster.coordinate
      (arrays.longitudes[number], arrays.latitudes[number]) = (coordinate.longitude, coordinate.latitude)
    }
  }

  @inline(__always) private func write(
    _ node: Node, pointCount: Int64, treeIndex: Int64, _ number: Int, to arrays: ClusterArrays
  ) {
    arrays.ids[number] = Int64(node.id.rawValue)
    arrays.pointCounts[number] = pointCount
    arrays.firsts[number] = Int64(node.first)
    arrays.ends[number] = Int64(node.first) + Int64(node.count)
    arrays.treeIndices[number] = treeIndex
  }
}
