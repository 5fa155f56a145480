import Treeline

/// A column that an index is to keep for each point.
public struct IndexAttribute: Sendable {
  public let name: String
  let value: @Sendable (Int) -> AttributeValue

  /// - Parameter value: The value of a point, by its place in the input from which the tree was built.
  public init(name: String, value: @escaping @Sendable (Int) -> AttributeValue) {
    self.name = name
    self.value = value
  }
}

extension IndexAttribute {
  /// The bytes of the column's section, as `AttributeColumn` reads them.
  ///
  /// Numbers are kept as doubles where that gives every literal back as it was written, and as text otherwise, so that an
  /// index answers with the same bytes as the input.
  func section(for tree: ClusterTree) -> [UInt8] {
    let values = (0..<tree.pointCount).map { value(tree.row(at: $0)) }
    let numbers = values.compactMap(Self.number)
    return numbers.count == values.count ? section(ofNumbers: numbers) : section(ofDictionary: values)
  }

  /// The double of a number or of null; nil for what no double stands for.
  private static func number(_ value: AttributeValue) -> Double? {
    switch value {
    case .null: .nan
    case .number(let literal): Double(literal).flatMap { AttributeColumn.text(of: $0) == literal ? $0 : nil }
    default: nil
    }
  }

  private func section(ofNumbers numbers: [Double]) -> [UInt8] {
    var bytes = start(.numbers, entryCount: 0)
    bytes.reserveCapacity(bytes.count + 8 * numbers.count)
    for number in numbers {
      bytes.appendLittleEndian(number.isNaN ? Double.nan.bitPattern : number.bitPattern)
    }
    return bytes
  }

  /// Entries are in the order of their bytes, so that the dictionary does not depend on the order of the points.
  private func section(ofDictionary values: [AttributeValue]) -> [UInt8] {
    let encoded = Set(values).map { (value: $0, bytes: [$0.tag.rawValue] + Array($0.text.utf8)) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    var places: [AttributeValue: UInt32] = [:]
    places.reserveCapacity(encoded.count)
    for (place, entry) in encoded.enumerated() { places[entry.value] = UInt32(place) }

    var bytes = start(.dictionary, entryCount: encoded.count)
    for value in values { bytes.appendLittleEndian(places[value]!) }
    bytes.pad()
    var end: UInt64 = 0
    bytes.appendLittleEndian(end)
    for entry in encoded {
      end += UInt64(entry.bytes.count)
      bytes.appendLittleEndian(end)
    }
    for entry in encoded { bytes += entry.bytes }
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

extension [UInt8] {
  fileprivate mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func pad() {
    while count % 8 != 0 { append(0) }
  }
}
