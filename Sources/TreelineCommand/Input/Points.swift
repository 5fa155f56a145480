@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineFormats

/// The points of a subcommand: their tree, and the table from which the tree was built.
struct Points {
  let tree: ClusterTree
  /// The points of the input; nil if the input is an index.
  let table: PointTable?
  private let keepsColumns: Bool

  /// Opens the input if it is an index. Otherwise reads the points and builds their tree.
  ///
  /// - Parameters:
  ///   - request: The requested growth of the tree (how it is built). If the input is an index, any request is an
  ///     error.
  ///   - cuts: Cuts that the tree must support.
  init(
    _ input: Input, keepsColumns: Bool, _ request: GrowthRequest = GrowthRequest(), for cuts: [Cut] = []
  ) throws {
    self.keepsColumns = keepsColumns
    if input.isIndex {
      let tree = try input.openIndex()
      self.tree = tree
      if request.isGiven {
        throw Failure.usage(
          "\(input.name): this is an index with a tree \(tree.growth.phrase), but "
            + "a tree \(try request.options(for: cuts).growth.phrase) can be built only from points; "
            + "leave out '--for', '--split' and '--grow', or give the points instead")
      }
      if let anchor = request.parameters.first(where: { $0.name == "anchor" })?.value, anchor != tree.anchor.rawValue {
        let place = tree.anchor == .member ? "lie at one of their points" : "lie at the means of their points"
        throw Failure.usage(
          "\(input.name): '--anchor \(anchor)' needs points, but this is an index whose clusters \(place); "
            + "give the points instead")
      }
      try tree.requireSupport(for: cuts, name: input.name)
      table = nil
    } else {
      let progress = ProgressBar()
      defer { progress.clear() }
      let options = try request.options(for: cuts)
      try options.growth.requireSupport(for: cuts)
      let table = try PointTable(input, keepsColumns: keepsColumns, progress)
      self.table = table
      tree = try ClusterTree(table, options: options, progress)
    }
    tree.reportClippedPoints()
  }

  private init(_ points: Points, _ tree: ClusterTree) {
    (self.tree, table, keepsColumns) = (tree, points.table, points.keepsColumns)
  }

  /// Returns a copy of these points. The tree of the copy has the filter, and has the columns that the filter and the
  /// aggregates need.
  func selecting(_ filter: Filter?, for aggregates: [Aggregate] = [], of input: String) throws -> Points {
    let filters = filter.map { [(name: "filter", filter: $0)] } ?? []
    let tree = try adding(columnsFor: filters, aggregates, of: input).tree(selecting: filter, of: input)
    do { if !aggregates.isEmpty { _ = try tree.noClusters.values(of: aggregates) } } catch {
      throw Failure.usage("\(input): '--aggregate': \(error)")
    }
    return Points(self, tree)
  }

  /// Returns a copy of these points. If the input is a table, the tree of the copy has all columns of the table, except
  /// columns with the same name.
  func addingAllColumns(of input: String) throws -> Points {
    guard let table else { return self }
    let all = table.allColumnNames
    let counts = all.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let names = all.filter { counts[$0] == 1 }
    for name in counts.filter({ $0.value > 1 }).keys.sorted() {
      Notes.print(
        "treelinemap: \(input): left out \(counts[name]!) columns with the name \"\(name.visible)\"; give each column its own name"
      )
    }
    return Points(self, try tree.adding(columns: table.inputOrder(ofColumns: names).map(table.column(named:))))
  }

  /// Returns a copy of these points. The tree of the copy has the columns that the filters and the aggregates need. If
  /// the input is a table, the columns are made from the table, and the values of a column determine its kind. If the
  /// input is an index, the tree stays as it is.
  ///
  /// - Parameter filters: Each filter, with the name of its option.
  func adding(columnsFor filters: [(name: String, filter: Filter)], _ aggregates: [Aggregate] = [], of input: String)
    throws -> Points
  {
    guard let table else { return self }
    var options: [String: String] = [:]
    for name in aggregates.flatMap(\.columnNames) { options[name] = "aggregate" }
    for (option, filter) in filters { for name in filter.columnNames { options[name] = option } }
    let names = options.keys.sorted()
    for name in names where !table.hasColumn(named: name) {
      let error = FilterError.unknownColumn(name: name, known: table.columnNames ?? [])
      throw Failure.usage("\(input): '--\(options[name]!)': \(error)")
    }
    for name in names { try table.columnNames?.requireOne(name, as: "--\(options[name]!)", in: input) }
    let columns = names.filter { name in !tree.columns.contains { $0.name == name } }.map(table.column(named:))
    for name in names where table.mayHaveDecimalCommas(inColumn: name) {
      Notes.print(
        "treelinemap: \(input): column \"\(name.visible)\" may have numbers with decimal commas (if so, give --decimal comma)"
      )
    }
    return Points(self, columns.isEmpty ? tree : try tree.adding(columns: columns))
  }

  /// Returns the tree with a filter. Throws if the tree lacks a column of the filter.
  ///
  /// - Parameter option: Name of the option that contains the filter.
  func tree(selecting filter: Filter?, option: String = "filter", of input: String) throws -> ClusterTree {
    guard let filter else { return tree }
    do { return try tree.filtered(by: filter) } catch { throw Failure.usage("\(input): '--\(option)': \(error)") }
  }

  /// Returns the row of a point in the input, given the point's tree index (its place in the tree).
  func row(atTreeIndex treeIndex: Int) -> Int { inputRow(tree.row(atTreeIndex: treeIndex)) }

  /// Converts a row number of the tree to a row number of the input. Row numbers of the input also count skipped rows.
  private func inputRow(_ row: Int) -> Int { table?.row(ofPoint: row) ?? row }

  /// Returns a cluster of the tree as a feature.
  ///
  /// - Parameter position: Position at which the cluster is shown; nil for the position in the tree. Pass nil only if
  ///   the position in the tree is the mean of the cluster's points.
  func feature(
    of cluster: Cluster, at position: ShownPosition? = nil, with requested: [RequestedProperty] = []
  ) -> ClusterFeature {
    var feature = completed(
      ClusterFeature(cluster, of: tree, at: position, with: requested.filter { $0 != .members }),
      members: tree.members(of: cluster).treeIndices, listsMembers: requested.contains(.members))
    feature.properties.shownRow = feature.properties.shownRow.map(inputRow)
    return feature
  }

  /// Returns a single point as a feature, even if other points share its position.
  func feature(ofPointAt treeIndex: Int) throws -> ClusterFeature {
    let leaf = try tree.clusters(containingTreeIndex: treeIndex).last!
    return completed(ClusterFeature(ofPointAt: treeIndex, in: leaf, of: tree), members: CollectionOfOne(treeIndex))
  }

  /// Returns a feature with additional data from the input. If `listsMembers` is true, the feature gets the rows of
  /// all its points. A feature of a single point also gets the row, the columns and the id of this point. The feature
  /// may come from any clustering method.
  ///
  /// - Parameter members: Tree indices of all points of the feature.
  func completed(
    _ feature: ClusterFeature, members: some RandomAccessCollection<Int>, listsMembers: Bool = false
  ) -> ClusterFeature {
    var feature = feature
    if feature.properties.pointCount == 1, let single = members.first {
      feature.properties.row = row(atTreeIndex: single)
      feature.columns = keepsColumns ? columns(atTreeIndex: single) : []
      feature.featureID = table?.featureID(ofPoint: tree.row(atTreeIndex: single))
    }
    if listsMembers { feature.properties.members = members.map(row(atTreeIndex:)).sorted() }
    return feature
  }

  /// Returns the columns of a point, except its coordinates.
  func columns(atTreeIndex treeIndex: Int) -> [(name: String, value: AttributeValue)] {
    table?.columns(ofPoint: tree.row(atTreeIndex: treeIndex)) ?? tree.attributes(atTreeIndex: treeIndex)
  }
}

extension Growth {
  /// Throws if a tree of this growth does not answer one of the cuts.
  fileprivate func requireSupport(for cuts: [Cut]) throws {
    for cut in cuts {
      let purpose = BuildPurpose.Name(of: [cut])
      guard purpose != .limit, purpose.growth != self, let parameter = cut.pixelParameter else { continue }
      throw Failure.usage(
        "--\(parameter) needs a tree that is built for \(purpose.rawValue), found a tree \(phrase); "
          + "leave out '--grow' and '--split'")
    }
  }
}

extension ClusterTree {
  /// Throws if the tree, which is from an index, does not answer one of the cuts.
  fileprivate func requireSupport(for cuts: [Cut], name: String) throws {
    guard let cut = cuts.first(where: { !supports($0) }), let parameter = cut.pixelParameter else { return }
    let purpose = BuildPurpose.Name(of: [cut])
    let found = growth == purpose.growth ? "without separations" : growth.phrase
    throw Failure.usage(
      "\(name): --\(parameter) needs a tree that was built for \(purpose.rawValue), found a tree \(found); "
        + "give the points and '--for \(purpose.rawValue)', or an index built with '--for \(purpose.rawValue)'")
  }
}

extension PointTable {
  /// Returns a column of the table for a tree. The values of the column decide its kind.
  fileprivate func column(named name: String) -> IndexColumn {
    IndexColumn(name: name) { value(ofColumn: name, point: $0, asWritten: true) }.holdingCells(cells)
  }

  /// Returns whether the first values of a column look like numbers with decimal commas, although the input is read
  /// with decimal points.
  fileprivate func mayHaveDecimalCommas(inColumn name: String) -> Bool {
    guard cells == .point else { return false }
    let values = coordinates.indices.prefix(100).compactMap { value(ofColumn: name, point: $0, asWritten: true) }
    return CellNumber.haveDecimalCommas(values.filter { $0 != .null }.map(\.text))
  }

  /// Reads points and shows the progress. Reports skipped rows and repaired text on standard error.
  ///
  /// - Parameter receivers: Parts of the tool that receive columns or points during reading.
  init(_ input: Input, keepsColumns: Bool, _ progress: ProgressBar, _ receivers: PointReceivers = PointReceivers())
    throws
  {
    let options = ReadingOptions(
      columns: input.columns.choice, skipsInvalid: input.columns.skipInvalid, keepsColumns: keepsColumns,
      decimal: input.columns.decimal)
    do throws(ReadingError) {
      self = try PointReader.read(path: input.path, options: options, receivers: receivers) { read, total in
        progress.show("Reading", done: Double(read), of: total.map(Double.init), unit: "B")
      }
    } catch { throw receivers.failure ?? error }
    progress.clear()
    for note in notes { Notes.print("treelinemap: \(input.name): \(note)") }
    reportBadRows(of: input.name)
  }

  private func reportBadRows(of name: String) {
    if invalidRowCount > 0 { Notes.print("treelinemap: skipped \(invalidRowCount) of \(rowCount) rows:") }
    for row in invalidRows { Notes.print("  \(name):\(row)") }
    if invalidRowCount > invalidRows.count {
      Notes.print("  … and \(invalidRowCount - invalidRows.count) more")
    }
    guard repairedRowCount > 0 else { return }
    let rows = repairedRowCount == 1 ? "1 row holds" : "\(repairedRowCount) rows hold"
    Notes.print(
      "treelinemap: \(name): \(rows) bytes that are not UTF-8, shown as \u{FFFD}; convert the text, "
        + "for example with iconv -f WINDOWS-1252 -t UTF-8")
  }
}

extension ClusterTree {
  /// Builds the tree of a table's points and shows the progress.
  init(_ table: PointTable, options: BuildOptions, _ progress: ProgressBar) throws {
    self = try ClusterTree(
      table.coordinates, as: table.isPlanar ? .planar : .webMercator, options: options,
      progress: progress.steps(ofPoints: table.coordinates.count))
    progress.clear()
    reportCoarsePositions(of: table)
  }

  /// Prints a note if positions in the tree are less exact than in the input, because the plane is very wide.
  private func reportCoarsePositions(of table: PointTable) {
    if plane.isCoarse(for: table.coordinates) { Notes.reportCoarsePositions(on: plane) }
  }

  func reportClippedPoints() { Notes.reportClippedPoints(clippedPointCount) }
}

extension ProgressBar {
  /// Returns a closure that shows the stages of a build in memory.
  func steps(ofPoints count: Int) -> @Sendable (BuildProgress) -> Void {
    let total = Double(count)
    return { step in self.show(step.stage.verb, done: step.fraction * total, of: total, unit: "points") }
  }
}

extension BuildProgress.Stage {
  fileprivate var verb: String {
    switch self {
    case .projecting: "Projecting"
    case .splitting: "Building"
    case .merging: "Merging"
    case .encoding: "Encoding columns"
    }
  }
}

extension Plane {
  /// Returns whether the plane stores any position with a large error. An error in x or y is large if it is more than
  /// a millionth of the greater of |x| and |y|.
  func isCoarse(for coordinates: some Sequence<Coordinate>) -> Bool {
    guard projection == .planar else { return false }
    let format = CoordinateFormat(of: self)
    return coordinates.contains { given in
      let kept = coordinate(at: point(at: given))
      let error = max(abs(format.rounded(kept.x) - given.x), abs(format.rounded(kept.y) - given.y))
      return error > 1e-6 * max(abs(given.x), abs(given.y))
    }
  }
}

extension Notes {
  static func reportCoarsePositions(on plane: Plane) {
    Notes.print(
      "treelinemap: positions are rounded to multiples of \(plane.side / 0x1p32), the data's extent divided by 2^32; "
        + "if this is too coarse, leave out points that are far from the others")
  }

  static func reportClippedPoints(_ count: Int) {
    guard count > 0 else { return }
    let points = count == 1 ? "1 point" : "\(count) points"
    Notes.print(
      "treelinemap: moved \(points) to the edge of Web Mercator, which ends at latitude "
        + CoordinateFormat(of: .webMercator()).string(Plane.maximumLatitude))
  }
}
