import Treeline

/// An array of a build. It is in `MappedMemory` if the build has such memory. Its memory is freed together with this
/// object, so the elements must be of a type that needs no deinitialization.
final class BuildArray<Element>: @unchecked Sendable {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  /// Makes an array whose elements have arbitrary values.
  init(count: Int, _ monitor: BuildMonitor) { (start, self.count) = (monitor.allocate(count: count), count) }

  /// Makes an array in main memory, whose elements have arbitrary values.
  init(inMainMemory count: Int) { (start, self.count) = (.allocate(capacity: count), count) }

  /// - Parameter value: The value of all elements. If the build is cancelled, some elements have arbitrary values.
  convenience init(repeating value: Element, count: Int, _ monitor: BuildMonitor) {
    self.init(count: count, monitor)
    monitor.pass(over: 0..<count) { (start + $0.lowerBound).initialize(repeating: value, count: $0.count) }
  }

  deinit { MemoryBlock(start, count: count).deallocate() }
}

/// An array of a build to which elements are appended.
struct GrowingArray<Element: BitwiseCopyable>: Sendable {
  private(set) var count = 0
  /// The memory of the elements. The memory may be larger than the elements need.
  private(set) var array: BuildArray<Element>
  private let monitor: BuildMonitor

  init(_ monitor: BuildMonitor) { (array, self.monitor) = (BuildArray(count: 0, monitor), monitor) }

  var start: UnsafeMutablePointer<Element> { array.start }

  mutating func append(_ element: Element) { append(repeating: element, count: 1) }

  mutating func append(repeating element: Element, count newCount: Int) {
    reserve(newCount)
    (start + count).initialize(repeating: element, count: newCount)
    count += newCount
  }

  mutating func append(_ first: UnsafePointer<Element>, count newCount: Int) {
    reserve(newCount)
    copy(first, count: newCount, to: start + count)
    count += newCount
  }

  private mutating func reserve(_ newCount: Int) {
    if count + newCount <= array.count { return }
    let larger = BuildArray<Element>(count: max(count + newCount, 2 * array.count), monitor)
    copy(start, count: count, to: larger.start)
    array = larger
  }

  private func copy(_ source: UnsafePointer<Element>, count: Int, to target: UnsafeMutablePointer<Element>) {
    monitor.pass(over: 0..<count) { block in
      (target + block.lowerBound).update(from: source + block.lowerBound, count: block.count)
    }
  }
}
