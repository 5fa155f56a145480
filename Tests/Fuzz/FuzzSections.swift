/// Feeds bytes to the readers of the sections of columns, ranks and links.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzSections(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SectionExercise.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
