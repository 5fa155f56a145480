/// Passes an index to everything that reads indexes. Does so twice: unchanged, and with repaired checksums. Without
/// repaired checksums, no mutation would get past the header.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzIndex(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  _ = IndexExercise(IndexBytes(bytes), queries: 1)
  let repaired = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
  defer { repaired.deallocate() }
  repaired.copyMemory(from: bytes)
  ChecksumRepair.repair(repaired)
  _ = IndexExercise(IndexBytes(UnsafeRawBufferPointer(repaired)), queries: 3, from: count % 1000)
  return 0
}
