import CTreeline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

@_cdecl("treeline_aggregate")
public func aggregate(_ answer: OpaquePointer?, _ aggregates: UnsafePointer<CChar>?, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) {
    let clusters = try answer.object(AnswerObject.self).clusters
    let aggregates = try Aggregate.list(text(aggregates, "aggregates"))
    let values = try clusters.values(of: aggregates)
    let names = FeatureProperties.names(of: aggregates)
    return Table(
      aggregates.indices.map { number in
        TableColumn(names[number], values.map { $0[number] }, of: aggregates[number], in: clusters.tree)
      })
  }
}

extension TableColumn {
  fileprivate init(_ name: String, _ values: [AggregateValue], of aggregate: Aggregate, in tree: ClusterTree) {
    switch aggregate.resultType(in: tree) {
    case nil: self.init(name, counts: values.map(\.valueCounts))
    case .number:
      let integers = aggregate.isWhole(in: tree) ? values.map(\.integer) : []
      // If a sum of 64-bit integers does not fit into 64 bits, all values become doubles.
      if integers.count == values.count, !zip(integers, values).contains(where: { $0 == nil && $1.double != nil }) {
        self.init(name, integers: integers)
      } else {
        self.init(name, doubles: values.map(\.double))
      }
    case .boolean:
      self.init(name, booleans: values.map { if case .bool(let value) = $0.attribute { value } else { nil } })
    case .string, .mixed: self.init(name, values.map(\.attribute), of: aggregate.column.flatMap { tree.column($0) })
    }
  }
}

extension AggregateValue {
  fileprivate var valueCounts: [(value: String, count: Int)] {
    guard case .counts(let counts) = self else { return [] }
    return counts.map { ($0.value.name, $0.count) }
  }

  fileprivate var attribute: AttributeValue? {
    switch self {
    case .value(let value): value
    case .number(let number): .number("\(number)")
    case .counts: nil
    }
  }

  fileprivate var integer: Int64? {
    if let double, abs(double) < 0x1p53 { return Int64(exactly: double) }
    return attribute?.plainText.flatMap { Int64($0) }
  }
}

@_cdecl("treeline_histogram")
public func histogram(
  _ tree: OpaquePointer?, _ column: UnsafePointer<CChar>?, _ bins: Int, _ viewport: UnsafePointer<CChar>?,
  _ missing: UnsafeMutablePointer<Int64>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    guard 2...1000 ~= bins else { throw ArgumentError("expected 2 to 1000 bins, found \(size(bins))") }
    let (tree, name) = (try tree.object(TreeObject.self).tree, try text(column, "the name of a column"))
    let viewport = try read(viewport) { Viewport(&$0) }
    let histogram = try tree.histogram(of: name, bins: bins, in: viewport)
    missing?.pointee = Int64(histogram.missingCount)
    let column = tree.column(histogram.column)
    return Table([
      TableColumn("from", histogram.edges.dropLast().map(Optional.some), of: column),
      TableColumn("to", histogram.edges.dropFirst().map(Optional.some), of: column),
      TableColumn("count", integers: histogram.counts.map { Int64($0) }),
    ])
  }
}
