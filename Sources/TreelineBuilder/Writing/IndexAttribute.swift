import Treeline

/// A column that an index is to keep for each point.
public struct IndexAttribute: Sendable {
  let name: String
  let value: @Sendable (Int) -> AttributeValue?

  /// - Parameters:
  ///   - name: Of the column.
  ///   - value: The value of a point, given its row in the input from which the tree was built; nil if the
  ///     point lacks the column, which is not the same as null.
  public init(name: String, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.value) = (name, value)
  }
}

extension IndexAttribute {
  /// The bytes of the column's section, as `AttributeColumn` reads them.
  ///
  /// Numbers are kept as doubles where that gives every literal back as it was written, and as text otherwise, so that
  /// an index answers with the same bytes as the input.
  func section(for tree: ClusterTree) -> [UInt8] {
    var bytes = start(.numbers, entryCount: 0)
    bytes.reserveCapacity(bytes.count + 8 * tree.pointCount)
    for index in 0..<tree.pointCount {
      guard let bits = Self.bits(value(tree.row(atTreeIndex: index))) else { return dictionarySection(for: tree) }
      bytes.appendLittleEndian(bits)
    }
    return bytes
  }

  /// The bits that stand for a value among numbers; nil where none do.
  private static func bits(_ value: AttributeValue?) -> UInt64? {
    switch value {
    case nil: AttributeColumn.absentBits
    case .null: AttributeColumn.nullBits
    case .number(let literal): Double(literal).flatMap { AttributeColumn.text(of: $0) == literal ? $0.bitPattern : nil }
    default: nil
    }
  }

  /// Entries are in the order of their bytes, so that the dictionary does not depend on the order of the points.
  ///
  /// Bytes distinguish them, too: strings that are equal to Unicode need not be the same.
  private func dictionarySection(for tree: ClusterTree) -> [UInt8] {
    var entries: [[UInt8]] = []
    var seen: [[UInt8]: UInt32] = [:]
    var codes = (0..<tree.pointCount).map { index in
      let value = value(tree.row(atTreeIndex: index))
      let entry = [(value?.tag ?? .absent).rawValue] + (value?.text ?? "").utf8
      if let code = seen[entry] { return code }
      let code = UInt32(entries.count)
      entries.append(entry)
      seen[entry] = code
      return code
    }
    let order = entries.indices.sorted { entries[$0].lexicographicallyPrecedes(entries[$1]) }
    var ranks = [UInt32](repeating: 0, count: entries.count)
    for (rank, entry) in order.enumerated() { ranks[entry] = UInt32(rank) }
    for index in codes.indices { codes[index] = ranks[Int(codes[index])] }

    var bytes = start(.dictionary, entryCount: entries.count)
    for code in codes { bytes.appendLittleEndian(code) }
    bytes.pad()
    var end: UInt64 = 0
    bytes.appendLittleEndian(end)
    for entry in order {
      end += UInt64(entries[entry].count)
      bytes.appendLittleEndian(end)
    }
    for entry in order { bytes += entries[entry] }
    return bytes
  }

  private func start(_ encoding: AttributeColumn.Encoding, entryCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(encoding.rawValue)
    bytes.appendLittleEndian(UInt32(name.utf8.count))
    bytes.appendLittleEndian(UInt32(entryCount))
    bytes.appendLittleEndian(0 as UInt32)
    bytes += name.utf8
    bytes.pad()
    return bytes
  }
}
