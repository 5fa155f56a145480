/// A list with one value for each column. One step of a build in pieces passes the list to the next step.
package struct PlainList<Value: BinaryCodable>: BinaryCodable {
  package var values: [Value]

  package init(_ values: [Value]) { self.values = values }

  package func write(to bytes: inout PlainBytes) { bytes.append(values) }

  package init(from bytes: inout PlainBytes) throws(PieceError) { values = try bytes.readValues() }

  package var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the given bytes were not returned by the property `bytes` of a list.
  package init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}
