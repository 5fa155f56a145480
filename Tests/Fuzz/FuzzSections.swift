/// Passes bytes to the readers of sections that hold columns, ranks or links.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzSections(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SectionExercise.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
