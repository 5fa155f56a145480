import Treeline

/// A deliberate damage to an index. Once the checksums are repaired, they do not reveal it.
struct Damage: Sendable, CustomStringConvertible {
  let description: String
  let index: TestIndex
  let change: @Sendable (inout IndexEditor) -> Void

  init(_ description: String, _ index: TestIndex = .nodes, _ change: @escaping @Sendable (inout IndexEditor) -> Void) {
    self.description = description
    self.index = index
    self.change = change
  }

  func damaged() throws -> IndexEditor {
    var editor = try IndexEditor(index)
    change(&editor)
    return editor
  }
}

extension Damage {
  static let all = records + contents + columns + separations

  /// Damage that makes node records contradict each other.
  static let records = [
    Damage("root with children far outside") { $0.set(.childOffset, ofRecord: 0, to: .max) },
    Damage("root with children just outside") { $0.set(.childOffset, ofRecord: 0, to: UInt32($0.header.nodeCount)) },
    Damage("root that shares its record with its child") { $0.set(.childOffset, ofRecord: 0, to: 2) },
    Damage("node with children far outside") { $0.set(.childOffset, ofRecord: $0.record(isStored: true), to: .max) },
    Damage("bucket that claims children") {
      $0.set(.childOffset, ofRecord: $0.record(isStored: false), to: 0x7FFF_FFFF)
    }, Damage("root with fewer points than there are") { $0.set(.count, ofRecord: 0, to: 1) },
    Damage("left child of no points") { $0.set(.count, ofRecord: 1, to: 0) },
    Damage("children of more points than their parent") {
      $0.set(.count, ofRecord: 1, to: .max)
      $0.set(.count, ofRecord: 2, to: $0.value(.count, ofRecord: 0) &+ 1)
    }, Damage("root that is an overfull bucket") { $0.set(.childOffset, ofRecord: 0, to: 0) },
    Damage("node that is an overfull bucket") { $0.set(.childOffset, ofRecord: $0.record(isStored: true), to: 0) },
    Damage("two parents of one node") { editor in
      // Both children of a node may have the same children, if the counts agree. The counts still bound the work.
      let left = editor.value(.count, ofRecord: 0) / 2
      editor.set(.count, ofRecord: 1, to: left)
      editor.set(.count, ofRecord: 2, to: editor.value(.count, ofRecord: 0) - left)
      editor.set(.childOffset, ofRecord: 1, to: 2)
      editor.set(.childOffset, ofRecord: 2, to: 1)
      editor.set(.count, ofRecord: 3, to: left / 2)
      editor.set(.count, ofRecord: 4, to: left - left / 2)
    },
  ]

  /// Damage that keeps the records consistent, but makes them false about the points.
  static let contents = [
    Damage("boxes inside out") { editor in
      for record in 0..<editor.header.nodeCount {
        editor.set(.minX, ofRecord: record, to: .max)
        editor.set(.maxX, ofRecord: record, to: 0)
        editor.set(.minY, ofRecord: record, to: 3)
        editor.set(.maxY, ofRecord: record, to: 2)
      }
    },
    Damage("box of one position around many") { editor in
      editor.set(.maxX, ofRecord: 0, to: editor.value(.minX, ofRecord: 0))
      editor.set(.maxY, ofRecord: 0, to: editor.value(.minY, ofRecord: 0))
    },
    Damage("box a unit too wide") { editor in
      let record = editor.record(isStored: false)
      editor.set(.minX, ofRecord: record, to: editor.value(.minX, ofRecord: record) &- 1)
    }, Damage("sums beyond everything") { $0.store(UInt64.max, at: $0.offset(of: .sums)) },
    Damage("sum one too high") {
      $0.store($0.number(at: $0.offset(of: .sums), as: UInt64.self) + 1, at: $0.offset(of: .sums))
    }, Damage("spread of no number") { $0.store(Float.nan.bitPattern, at: $0.offset(of: .spreads)) },
    Damage("spread a bit off") { editor in
      let offset = editor.offset(of: .spreads)
      editor.store(editor.number(at: offset, as: UInt32.self) ^ 1, at: offset)
    }, Damage("children of a single point", .one) { $0.set(.childOffset, ofRecord: 0, to: 1) },
    Damage("spread below zero") { $0.store((-1e30 as Float).bitPattern, at: $0.offset(of: .spreads)) },
    Damage("point elsewhere") { $0.store(UInt32.max, at: $0.offset(of: .points)) },
    Damage("row twice") { editor in
      let rows = editor.offset(of: .rows)
      editor.store(editor.number(at: rows, as: UInt32.self), at: rows + 4)
    },
    Damage("rows of a stack the wrong way round", .tiny) { editor in
      let rows = editor.offset(of: .rows) + 8
      let (first, second) = (editor.number(at: rows, as: UInt32.self), editor.number(at: rows + 4, as: UInt32.self))
      editor.store(second, at: rows)
      editor.store(first, at: rows + 4)
    }, Damage("gap at another level", .tiny) { $0.setGap(7, after: 0) },
    Damage("no gap between two positions", .tiny) { $0.setGap(15, after: 0) },
    Damage("gap within a stack", .tiny) { $0.setGap(3, after: 2) },
    Damage("gap behind the last point", .tiny) { $0.setGap(1, after: 3) },
    Damage("gap behind the only point", .one) { $0.setGap(1, after: 1) },
  ]

  /// Returns the offset of the section of a column. The columns are `name`, `population` and `mixed`, in this order.
  private static func column(_ number: Int, _ editor: IndexEditor) -> Int {
    Int(editor.header.sections.filter { $0.kind == .attribute }[number].offset)
  }

  static let columns = [
    Damage("name beyond its section", .columns) { $0.store(UInt32.max, at: column(0, $0) + 4) },
    Damage("dictionary beyond its section", .columns) { $0.store(UInt32.max, at: column(0, $0) + 8) },
    Damage("encoding of no kind", .columns) { $0.store(UInt32(9), at: column(1, $0)) },
    Damage("numbers for a dictionary", .columns) { $0.store(UInt32(1), at: column(0, $0)) },
    Damage("name of broken UTF-8", .columns) { $0.store(UInt8(0xFF), at: column(0, $0) + 17) },
    Damage("place beyond the dictionary", .columns) { $0.store(UInt32.max, at: column(0, $0) + 24) },
    Damage("number without end", .columns) { $0.store(Double.infinity.bitPattern, at: column(1, $0) + 32) },
    Damage("number of another NaN", .uneven) { $0.store(0x7FF8_0000_0000_0002 as UInt64, at: column(1, $0) + 24) },
    Damage("entry that no point has", .columns) { editor in
      for point in 0..<14 { editor.store(UInt32(1), at: column(0, editor) + 24 + 4 * point) }
    },
    Damage("absent with a text", .uneven) { editor in
      let section = editor.header.sections[6]
      // Entries are in the order of their tags, so the entry without a text is the last one.
      let end = Int(section.offset + section.length)
      editor.store(UInt8(6), at: end - 6)
    }, Damage("entry that begins far outside", .columns) { $0.store(UInt64.max - 1, at: column(2, $0) + 24 + 56 + 8) },
    Damage("entries the wrong way round", .columns) { $0.store(UInt64(0), at: column(2, $0) + 24 + 56 + 16) },
  ]
}

extension Damage {
  static let separations = [
    Damage("separations beyond all", .spaced) { editor in
      for index in 0..<editor.header.pointCount { editor.setSeparation(.max, of: index) }
    },
    Damage("separations of no node", .spaced) { editor in
      for index in 0..<editor.header.pointCount { editor.setSeparation(0, of: index) }
    },
    Damage("separations that grow downwards", .spaced) { editor in
      for index in 0..<editor.header.pointCount { editor.setSeparation(UInt16(40_000 + index), of: index) }
    },
    Damage("separations of too few points", .spaced) { editor in
      let entry = editor.header.sections.firstIndex { $0.kind == .separations }!
      let length = editor.header.sections[entry].length
      editor.store(length - 2, at: IndexHeader.offset(ofEntry: entry) + 16)
    },
  ]
}
