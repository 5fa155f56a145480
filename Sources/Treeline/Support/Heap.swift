/// A binary heap with the least element first. It is implemented here because the library uses no other packages.
package struct Heap<Element: Comparable> {
  @usableFromInline var elements: ContiguousArray<Element> = []

  @inlinable package init() {}

  /// The least element.
  @inlinable package var first: Element? { elements.first }

  /// - Complexity: O(log n)
  @inlinable package mutating func insert(_ element: Element) {
    elements.append(element)
    elements.withUnsafeMutableBufferPointer { elements in
      var slot = elements.count &- 1
      while slot > 0 {
        let parent = (slot &- 1) / 2
        guard element < elements[parent] else { break }
        elements[slot] = elements[parent]
        slot = parent
      }
      elements[slot] = element
    }
  }

  /// Removes the least element.
  ///
  /// - Complexity: O(log n)
  @inlinable package mutating func popFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    if elements.isEmpty { return last }
    return elements.withUnsafeMutableBufferPointer { elements in
      let first = elements[0]
      var slot = 0
      while 2 &* slot &+ 1 < elements.count {
        var child = 2 &* slot &+ 1
        if child &+ 1 < elements.count && elements[child &+ 1] < elements[child] { child &+= 1 }
        guard elements[child] < last else { break }
        elements[slot] = elements[child]
        slot = child
      }
      elements[slot] = last
      return first
    }
  }
}
