/// The values of several columns for one step of a build in pieces, which go to the next one together.
package struct PlainList<Value: PlainValue>: PlainValue {
  package var values: [Value]

  package init(_ values: [Value]) { self.values = values }

  package func write(to bytes: inout PlainBytes) { bytes.append(values) }

  package init(from bytes: inout PlainBytes) throws(PieceError) { values = try bytes.readValues() }

  package var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write.
  package init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}
