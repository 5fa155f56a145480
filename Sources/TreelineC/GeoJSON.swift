import CTreeline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

// Writes answers as GeoJSON. `ClusterProperties` defines the properties of clusters, as for the tool and the server.

@_cdecl("treeline_answer_geojson")
public func answerGeoJSON(_ answer: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptText(error) { try answer.object(AnswerObject.self).appendCollection(options, to: &$0) }
}

@_cdecl("treeline_transition_geojson")
public func transitionGeoJSON(
  _ from: OpaquePointer?, _ to: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptText(error) { bytes in
    let (first, second, transition) = try transition(from, to)
    bytes.append("{")
    try TransitionWriter(plane: second.clusters.tree.plane).appendMembers(
      of: transition, from: first.coordinate(of:), to: second.coordinate(of:),
      diameters: (first.diameter(of:), second.diameter(of:)), into: &bytes)
    bytes.append(",\"clusters\":")
    try second.appendCollection(options, to: &bytes)
    bytes.append("}\n")
  }
}

@_cdecl("treeline_members_geojson")
public func membersGeoJSON(
  _ tree: OpaquePointer?, _ id: UInt64, _ offset: Int, _ limit: Int, _ options: UnsafePointer<CChar>?,
  _ error: ErrorPlace
) -> OpaquePointer? {
  attemptText(error) { bytes in
    let tree = try tree.object(TreeObject.self).tree
    let writer = try read(options) { FeatureCollectionWriter(of: tree, &$0) }
    let (members, page) = try memberPage(of: id, in: tree, offset, limit)
    writer.open(&bytes, offset: page.lowerBound, total: members.count)
    for number in page {
      let feature = try ClusterFeature(ofSinglePointAt: members.treeIndex(at: number), of: tree)
      writer.append(feature, isFirst: number == page.lowerBound, to: &bytes)
    }
    writer.close(&bytes)
  }
}

/// Returns the text that `write` appends, as bytes for C. If `write` throws an error, stores it and returns nil.
private func attemptText(_ error: ErrorPlace, _ write: (inout OutputBytes) throws -> Void) -> OpaquePointer? {
  attemptObject(error) {
    var bytes = OutputBytes(capacity: 1 << 15)
    try write(&bytes)
    return BytesObject(bytes.withBytes { Array($0) })
  }
}

extension FeatureCollectionWriter {
  fileprivate init(of tree: ClusterTree, _ parameters: inout QueryParameters) {
    self.init(plane: tree.plane, hasSafeIntegers: parameters.flag("safe-integers"))
  }
}

extension QueryParameters {
  /// Reads rising indices with commas between them; nil if the parameter was not given or has a wrong value.
  fileprivate mutating func indices(below count: Int) -> [Int]? {
    guard let text = text("indices") else { return nil }
    var indices: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let index = Int(part), index > indices.last ?? -1, index < count else {
        refuse("indices", expected: "rising indices of clusters, below \(count)", found: String(part))
        return nil
      }
      indices.append(index)
    }
    return indices
  }
}

extension AnswerObject {
  /// Appends the answer as a FeatureCollection.
  fileprivate func appendCollection(_ options: UnsafePointer<CChar>?, to bytes: inout OutputBytes) throws {
    let (writer, aggregates, requested, indices) = try read(options) { parameters in
      (
        FeatureCollectionWriter(of: clusters.tree, &parameters),
        try parameters.text("aggregate").map { try Aggregate.list($0) } ?? [],
        RequestedProperty.allCases.filter { parameters.flag($0.rawValue) },
        parameters.indices(below: clusters.count)
      )
    }
    let names = FeatureProperties.names(of: aggregates)
    let written = try indices.map { try clusters.tree.clusters(withIDs: $0.map { clusters[$0].id }) } ?? clusters
    let values = aggregates.isEmpty ? nil : try written.values(of: aggregates)
    writer.open(&bytes)
    for (position, index) in (indices ?? Array(clusters.indices)).enumerated() {
      var feature = feature(index, with: requested)
      if let values { feature.aggregates = zip(names, values[position]).map { ($0, $1) } }
      writer.append(feature, isFirst: position == 0, to: &bytes)
    }
    writer.close(&bytes)
  }

  /// Returns a cluster as a feature, at the position at which the answer shows the cluster.
  ///
  /// - Parameter number: Index of the cluster in the answer.
  fileprivate func feature(_ number: Int, with requested: [RequestedProperty]) -> ClusterFeature {
    let (cluster, tree) = (clusters[number], clusters.tree)
    var feature = ClusterFeature(cluster, of: tree, with: requested, cut: cut)
    let shown = shownPosition(number)
    feature.coordinate = shown.coordinate
    if cluster.row == nil { feature.properties.shownRow = shown.treeIndex.map(tree.row(atTreeIndex:)) }
    return feature
  }

  /// Returns the position at which the answer shows a cluster.
  fileprivate func coordinate(of cluster: Cluster) -> Coordinate {
    clusters.firstIndex(containingTreeIndex: cluster.range.lowerBound).map { shownPosition($0).coordinate }
      ?? cluster.coordinate
  }

  /// Returns the diameter of a cluster's badge in pixels; nil if the query had no badges.
  fileprivate func diameter(of cluster: Cluster) -> Double? {
    cut.flatMap { clusters.tree.badgeDiameter(of: cluster, for: $0) }
  }
}
