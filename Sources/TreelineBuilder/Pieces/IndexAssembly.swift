import Treeline

#if POSIX
  /// Assembles one index from the built pieces and the nodes above the pieces.
  ///
  /// Pieces are copied in tree order, through buffers of a few megabytes. Besides the buffers, only the plan is in
  /// memory. The plan takes about 230 bytes for each piece.
  public struct IndexAssembly {
    private let plan: PiecePlan
    private let survey: PointSurvey
    private let columns: [ColumnEncoding]
    private let description: IndexDescription
    /// The tree if it grew by merging; nil if it grew by splitting. The pieces of a merged tree have no nodes.
    package var merged: MergedPieces?
    /// Groups of the index, whose trees are stored one after the other; nil if the index has one tree.
    var groups: TreeGroups?
    /// For each column, the aggregates and searches for which the column is prepared; empty if no column is prepared.
    var preparations: [Set<IndexColumn.Preparation>] = []
    /// The folder, the memory and the callbacks for computing the sections that prepare columns; nil if no column is
    /// prepared.
    var workspace: ScratchMatrix.Workspace?

    /// - Parameters:
    ///   - plan: Plan of the pieces.
    ///   - survey: Survey of all points.
    ///   - columns: Columns of the pieces. All columns have different names.
    ///   - description: Texts that describe the index to its users.
    public init(
      of plan: PiecePlan, _ survey: PointSurvey, columns: [ColumnEncoding] = [],
      description: IndexDescription = IndexDescription()
    ) {
      precondition(plan.pointCount == survey.pointCount, "The survey and the plan have different numbers of points")
      (self.plan, self.survey, self.columns, self.description) = (plan, survey, columns, description)
    }

    /// Writes the index. The file appears only when it is complete and flushed to the disk.
    ///
    /// - Parameters:
    ///   - destination: Destination of the index.
    ///   - source: Source of the bytes of the pieces.
    ///   - progress: Called with the number of bytes written and the total number of bytes. The work stops if
    ///     `progress` returns false.
    /// - Throws: `PieceError.writing` if there are more columns than an index can hold, or if two columns have the same
    ///   name; `PieceError.damaged` if a piece is missing, belongs to another plan, or has changed since it was
    ///   written.
    public func write(
      to destination: IndexDestination, piecesFrom source: some PieceSource,
      progress: @escaping (_ written: UInt64, _ total: UInt64) -> Bool = { _, _ in true }
    ) throws { try writeIndex(to: destination, piecesFrom: source, progress: progress) }

    /// Like `write(to:piecesFrom:progress:)`, but the type of its errors is declared.
    func writeIndex(
      to destination: IndexDestination, piecesFrom source: some PieceSource,
      progress: @escaping (_ written: UInt64, _ total: UInt64) -> Bool
    ) throws(PieceError) {
      precondition((merged == nil) == (plan.rule != nil), "Expected the tree of the plan")
      try checkColumns()
      let records = CodeLayout(columns)
      let headers = try plan.pieces.map { task throws(PieceError) in
        try source.header(of: task, codeLength: records.length)
      }
      let hasWideRows = headers.contains(where: \.hasWideRows)
      // Attributes come before all other columns.
      let columnOrder =
        columns.indices.filter { columns[$0].isAttribute } + columns.indices.filter { !columns[$0].isAttribute }
      // Sections with texts and numbers that describe the whole index.
      let others: [(kind: IndexSection.Kind, bytes: [UInt8])] =
        (description.isEmpty ? [] : [(.description, description.bytes)])
        + (groups.map { [(.groups, $0.bytes)] } ?? [])
        + (merged?.tree.badgeCurve.map { [(.badgeCurve, $0.bytes)] } ?? [])
      let count = plan.pointCount
      let topRecords = plan.topRecords
      let order = NodeOrder(topRecords, headers)
      let rows = hasWideRows ? IndexSection.Kind.wideRows : .rows
      let ofTree = merged?.tree.withStorage { $0.fixedSections.map(\.kind) } ?? IndexSection.Kind.hierarchy
      let nodeCount = merged?.tree.withStorage { $0.nodeCount } ?? order.recordCount
      let fixedLengths = (ofTree + [rows]).map { $0.fixedLength(ofPoints: count, nodes: nodeCount) }
      let sectionCount =
        fixedLengths.count + columns.count + preparations.reduce(0) { $0 + $1.count } + others.count
      var layout = IndexLayout(sectionCount: sectionCount)
      var total = layout.fileLength(
        of: fixedLengths
          + columnOrder.map { columns[$0].sectionLength(pointCount: count) } + others.map(\.bytes.count))
      do throws(IndexWritingError) { try destination.file.setLength(total) } catch { throw .writing(error) }
      var content = XXHash64(ofContentOn: survey.plane)
      func add(_ kind: IndexSection.Kind, _ fill: (inout SectionStream) throws(PieceError) -> Void) throws(PieceError) {
        var stream = SectionStream(destination.file, at: layout.next, hashing: content) { end in progress(end, total) }
        defer { stream.deallocate() }
        try fill(&stream)
        try stream.flush()
        if IndexSection.Kind.hierarchy.contains(kind) { content = stream.content }
        layout.add(kind, length: stream.length, checksum: stream.checksum.finalize())
      }
      let pieces = PieceReader(source: source, tasks: plan.pieces, headers: headers)
      func copy(_ part: PiecePart) -> (inout SectionStream) throws(PieceError) -> Void {
        { stream throws(PieceError) in
          for piece in headers.indices {
            try pieces.forEachBlock(of: part, inPiece: piece) { bytes throws(PieceError) in try stream.append(bytes) }
          }
        }
      }
      func addTree(_ merged: MergedPieces) throws(PieceError) {
        try merged.tree.withStorage { storage throws(PieceError) in
          for (kind, bytes) in storage.fixedSections {
            try add(kind) { stream throws(PieceError) in
              for block in bytes.indices.blocks(of: 1 << 20) {
                try stream.append(UnsafeRawBufferPointer(rebasing: bytes[block]))
                merged.giveBack(afterBytes: block.count)
              }
            }
          }
        }
      }
      func addSplitTree() throws(PieceError) {
        try add(.points, copy(.points))
        try add(.gaps) { stream throws(PieceError) in
          var packer = GapPacker()
          for piece in headers.indices {
            var rest = headers[piece].pointCount
            try pieces.forEachBlock(of: .gaps, inPiece: piece) { bytes throws(PieceError) in
              let gapCount = min(Int(rest), 2 * bytes.count)
              rest -= UInt32(gapCount)
              try packer.append(bytes, gapCount, to: &stream)
            }
          }
          try packer.finish(&stream)
        }
        try add(.nodes) { stream throws(PieceError) in
          if order.recordCount > 0 { try stream.append(value: order.record(of: 0)) }
          for item in order.items {
            switch item {
            case .pair(_, let left, let right):
              try stream.append(value: order.record(of: left))
              try stream.append(value: order.record(of: right))
            case .below(let piece):
              try pieces.forEachBlock(of: .nodes, inPiece: piece) { bytes throws(PieceError) in try stream.append(bytes)
              }
            }
          }
        }
        func addSummaries<Entry: BitwiseCopyable>(
          _ kind: IndexSection.Kind, _ part: PiecePart, _ entry: (PiecePlan.TopRecord) -> Entry
        ) throws(PieceError) {
          try add(kind) { stream throws(PieceError) in
            for item in order.items {
              switch item {
              case .pair(let parent, _, _): try stream.append(value: entry(topRecords[parent]!))
              case .below(let piece):
                try pieces.forEachBlock(of: part, inPiece: piece) { bytes throws(PieceError) in try stream.append(bytes)
                }
              }
            }
          }
        }
        try addSummaries(.sums, .sums, \.sums)
        try addSummaries(.spreads, .spreads, \.spread)
      }
      if let merged { try addTree(merged) } else { try addSplitTree() }
      try add(rows) { stream throws(PieceError) in
        for piece in headers.indices {
          try pieces.forEachBlock(of: .rows, inPiece: piece) { bytes throws(PieceError) in
            if hasWideRows && !headers[piece].hasWideRows {
              for row in bytes.bindMemory(to: UInt32.self) { try stream.append(value: UInt64(row)) }
            } else {
              try stream.append(bytes)
            }
          }
        }
      }
      for column in columnOrder {
        let encoding = columns[column]
        try add(encoding.isAttribute ? .attribute : .column) { stream throws(PieceError) in
          try stream.append(encoding.head)
          for piece in headers.indices {
            try pieces.forEachBlock(ofColumn: column, records, inPiece: piece) { bytes throws(PieceError) in
              try stream.append(bytes)
            }
          }
          let length = encoding.width * count
          try stream.append([UInt8](repeating: 0, count: Column.aligned(length) - length))
          try encoding.forEachPartOfTail { part throws(PieceError) in try stream.append(part) }
        }
      }
      let columnSections = layout.sections.filter { $0.kind == .column }
      for (number, column) in columnOrder.filter({ !columns[$0].isAttribute }).enumerated() where !preparations.isEmpty
      {
        for kind in IndexColumn.Preparation.allCases where preparations[column].contains(kind) {
          let matrix = try ScratchMatrix(
            preparing: columnSections[number], of: destination.file, pointCount: count, for: kind, in: workspace!)
          total += UInt64(IndexHeader.aligned(UInt64(matrix.byteCount)))
          do throws(IndexWritingError) { try destination.file.setLength(total) } catch { throw .writing(error) }
          try add(matrix.sectionKind) { stream throws(PieceError) in try matrix.write(ofColumn: number, to: &stream) }
        }
      }
      for (kind, bytes) in others { try add(kind) { stream throws(PieceError) in try stream.append(bytes) } }
      let bytes = IndexHeader(
        plane: survey.plane, growth: merged?.tree.growth ?? .splitting(plan.rule ?? .standard), pointCount: count,
        nodeCount: merged?.tree.withStorage(\.nodeCount) ?? order.recordCount,
        clippedPointCount: survey.clippedPointCount, contentHash: content.finalize(),
        mergeTraits: merged?.tree.withStorage(\.mergeTraits) ?? [], sections: layout.sections, fileLength: layout.end
      ).bytes
      do throws(IndexWritingError) {
        try bytes.withUnsafeBufferPointer { bytes throws(IndexWritingError) in
          try destination.file.write(UnsafeRawBufferPointer(bytes), at: 0)
        }
        // Sets the exact length of the file. The length so far was an estimate, because some sections had unknown
        // lengths.
        try destination.file.setLength(layout.end)
        try destination.file.finish()
      } catch { throw .writing(error) }
    }
  }

  extension IndexAssembly {
    private func checkColumns() throws(PieceError) {
      let most = IndexSection.Kind.mostOfColumns
      let found = columns.count + preparations.reduce(0) { $0 + $1.count }
      guard found <= most else { throw .writing(.tooManyAttributes(found: found, maximum: most)) }
      if let twice = columns.map(\.name).firstTwice { throw .writing(.attributeTwice(name: twice)) }
    }
  }

  /// The order of all records in the index, both of the nodes above the pieces and of the nodes in the pieces.
  private struct NodeOrder {
    enum Item {
      /// The records of two siblings. `parent`, `left` and `right` are numbers of nodes in the plan.
      case pair(parent: Int, left: Int, right: Int)
      /// The records below the root of a piece.
      case below(piece: Int)
    }

    private(set) var items: [Item] = []
    private(set) var recordCount = 0
    private let nodes: [PiecePlan.TopRecord?]
    private let headers: [PieceHeader]
    private var pieces: [Int: Int] = [:]
    /// For each node of the plan, `records` has the index of the node's own record, and `children` has the index of
    /// the first record below the node.
    private var records: [Int]
    private var children: [Int]

    init(_ nodes: [PiecePlan.TopRecord?], _ headers: [PieceHeader]) {
      (self.nodes, self.headers) = (nodes, headers)
      (records, children) = (Array(repeating: 0, count: nodes.count), Array(repeating: 0, count: nodes.count))
      if nodes.isEmpty { return }
      // `sizes` contains, for each node of the plan, the number of nodes of the plan in the node's subtree. The stack
      // holds the sizes of subtrees whose parents follow later in this loop. On the stack, the entry of a left child
      // lies above the entry of its sibling.
      var (sizes, stack) = ([Int](repeating: 1, count: nodes.count), [Int]())
      for index in nodes.indices.reversed() {
        if nodes[index] != nil { sizes[index] = 1 + stack.removeLast() + stack.removeLast() }
        stack.append(sizes[index])
      }
      var order = RecordOrder(0)
      while let (index, record) = order.popNext() {
        records[index] = record
        if nodes[index] == nil {
          let piece = pieces.count
          pieces[index] = piece
          items.append(.below(piece: piece))
          children[index] = order.placeSubtree(Int(headers[piece].recordCount))
        } else {
          let (left, right) = (index + 1, index + 1 + sizes[index + 1])
          items.append(.pair(parent: index, left: left, right: right))
          children[index] = order.placeChildren(left, right)
        }
      }
      recordCount = order.recordCount
    }

    func record(of index: Int) -> NodeRecord {
      let offset = UInt32(children[index] - records[index])
      if let node = nodes[index] { return NodeRecord(box: node.box, count: node.count, childOffset: offset) }
      let header = headers[pieces[index]!]
      return NodeRecord(
        box: header.root.box, count: header.root.count, childOffset: header.recordCount > 1 ? offset : 0)
    }
  }
#endif
