@_spi(Server) @testable import TreelineFormats

/// Passes bytes to the readers of points: strictly and leniently, with and without columns.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzPoints(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  // The length of the input determines the options, so each input is read only once. A similar input of another length
  // is read with other options.
  var options =
    count % 2 == 0 ? ReadingOptions() : ReadingOptions(skipsInvalid: true, keepsColumns: true, isPlanar: count % 4 == 1)
  // The reader refuses decimal commas for GeoJSON before it reads anything. So GeoJSON is read without them.
  if count % 7 == 0 && bytes.first != UInt8(ascii: "{") { options.decimal = .comma }
  do throws(ReadingError) {
    // Chunks are so small that records cross their boundaries. With chunks of the usual size, only larger files than
    // these have such records.
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
