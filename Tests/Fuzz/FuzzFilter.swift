import Treeline

/// Feeds text to the parsers of filters and aggregates, and queries an index with the result.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzFilter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  exercise.run(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
  return 0
}

/// scripts/check/fuzz runs at the root of the repository.
private let exercise = FilterExercise(try! ClusterTree(index: "Fixtures/fuzz/index/typed"))
