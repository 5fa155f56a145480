import Dispatch

/// Cuts 0 ..< count into one range a thread, works on them at once, and returns what each gave, in order.
func inChunks<Result: Sendable>(
  of count: Int, threads: Int, _ work: @Sendable (Range<Int>) -> Result
) -> [Result] {
  let chunks = max(1, min(threads, count / 4096))
  let results = UnsafeMutableBufferPointer<Result?>.allocate(capacity: chunks)
  results.initialize(repeating: nil)
  defer {
    results.deinitialize()
    results.deallocate()
  }
  nonisolated(unsafe) let slots = results
  DispatchQueue.concurrentPerform(iterations: chunks) { chunk in
    slots[chunk] = work(count * chunk / chunks..<count * (chunk + 1) / chunks)
  }
  return results.map { $0! }
}
