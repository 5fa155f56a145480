import Treeline

@_spi(Server) @testable import TreelineFormats

/// Reads a text in the same way as a file named `points`.
func read(_ text: String, _ options: ReadingOptions = ReadingOptions(), limits: ReadingLimits = ReadingLimits())
  throws(ReadingError) -> PointTable
{ try PointReader.read(bytes: Array(text.utf8), name: "points", options: options, limits: limits) }

/// Returns the message of the error in which reading ends; empty if there is no error.
func message(_ text: String, _ options: ReadingOptions = ReadingOptions()) -> String {
  message(Array(text.utf8), options)
}

func message(_ bytes: [UInt8], _ options: ReadingOptions = ReadingOptions()) -> String {
  do {
    _ = try PointReader.read(bytes: bytes, name: "points", options: options)
    return ""
  } catch { return "\(error)" }
}

/// Returns a text that describes the whole outcome of reading, so that tests can compare outcomes.
func outcome(_ bytes: [UInt8], _ options: ReadingOptions, limits: ReadingLimits = ReadingLimits()) -> String {
  do {
    let table = try PointReader.read(bytes: bytes, name: "points", options: options, limits: limits)
    let points = table.coordinates.indices.map {
      "\(table.row(ofPoint: $0)) \(table.coordinates[$0]) \(table.columns(ofPoint: $0)) "
        + "\(table.featureID(ofPoint: $0)?.text ?? "")"
    }
    return "\(table.rowCount) rows, planar \(table.isPlanar), repaired \(table.repairedRowCount), \(table.notes)\n"
      + (table.invalidRows.map { "\($0) \($0.remedy ?? "")" } + points).joined(separator: "\n")
  } catch { return error.description }
}

/// Returns the bytes compressed as a single gzip member.
func gzip(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { Gzip.compressed($0, level: 6) } }

/// A small generator of random numbers (SplitMix64, doi:10.1145/2660193.2660195). Tests print the seed, so that a run
/// can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension PointTable {
  /// Returns the kept columns of a point as texts that can be compared.
  func kept(_ index: Int) -> [String] { columns(ofPoint: index).map { "\($0.name)=\($0.value.text)" } }
}

extension AttributeValue {
  var text: String {
    switch self {
    case .string(let text): "string \(text)"
    case .number(let text): "number \(text)"
    case .bool(let value): "bool \(value)"
    case .null: "null"
    case .json(let text): "json \(text)"
    }
  }
}
