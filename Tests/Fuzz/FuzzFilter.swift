import Treeline

/// Passes text to the parsers of filters and aggregates, and queries an index with the results.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzFilter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  exercise.run(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
  return 0
}

/// `scripts/check/fuzz` runs this program in the root folder of the repository.
private let exercise = FilterExercise(try! ClusterTree(contentsOfFile: "Fixtures/fuzz/index/typed"))
