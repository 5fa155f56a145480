/// Feeds bytes to what reads the section of a column, of its ranks or of its links.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzSections(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SectionExercise.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
