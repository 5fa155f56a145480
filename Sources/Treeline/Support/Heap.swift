/// A binary heap: its least element is found at once, inserted and removed in O(log n).
///
/// Written here because the runtime depends on nothing else.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  /// - Complexity: O(log n)
  mutating func insert(_ element: Element) {
    var place = elements.count
    elements.append(element)
    while place > 0 {
      let parent = (place - 1) / 2
      guard element < elements[parent] else { break }
      elements[place] = elements[parent]
      place = parent
    }
    elements[place] = element
  }

  /// Removes the least element.
  ///
  /// - Complexity: O(log n)
  mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return first }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < last else { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = last
    return first
  }
}
