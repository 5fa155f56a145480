@_spi(Server) @testable import TreelineFormats

/// Feeds bytes to the readers of points, strictly and leniently, with and without columns.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzPoints(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  // The length of the input chooses the options, so that each input is read only once. Similar inputs of other lengths
  // are read with other options.
  var options =
    count % 2 == 0 ? ReadingOptions() : ReadingOptions(skipsInvalid: true, keepsColumns: true, isPlanar: count % 4 == 1)
  // GeoJSON refuses decimal commas before it is read.
  if count % 7 == 0 && bytes.first != UInt8(ascii: "{") { options.decimal = .comma }
  do throws(ReadingError) {
    // Small chunks make records cross chunk boundaries, as in files that are larger than any input here.
    let limits = ReadingLimits(chunk: 16 + count % 97, record: 2048)
    let table = try PointReader.read(bytes: bytes, name: "input", options: options, limits: limits)
    for point in table.coordinates.indices.prefix(20) {
      _ = table.row(ofPoint: point)
      for value in table.columns(ofPoint: point).map(\.value) + [table.featureID(ofPoint: point) ?? .null] {
        var bytes = OutputBytes()
        bytes.append(json: value)
      }
    }
  } catch { _ = "\(error)" }
  return 0
}
