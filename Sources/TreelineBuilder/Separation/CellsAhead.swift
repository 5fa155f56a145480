/// Of the looks that come next, the cells that each will look into: a ring of some numbers a place.
///
/// There may be more cells than it has room for. The rest is found when it is looked for.
struct CellsAhead: ~Copyable {
  private static var placeCount: Int { 16 }
  /// Of a place, the count of its numbers being the first.
  private static var stride: Int { 16 }

  private let numbers: UnsafeMutablePointer<UInt32>

  init() {
    numbers = .allocate(capacity: Self.placeCount * Self.stride)
    numbers.initialize(repeating: 0, count: Self.placeCount * Self.stride)
  }

  deinit { numbers.deallocate() }

  @inline(__always)
  private func start(_ place: Int) -> UnsafeMutablePointer<UInt32> {
    numbers + (place & (Self.placeCount &- 1)) &* Self.stride
  }

  /// Forgets the numbers of a place, and with them those of one long past.
  @inline(__always)
  mutating func begin(_ place: Int) { start(place).pointee = 0 }

  @inline(__always)
  mutating func append(_ number: UInt32, to place: Int) {
    let start = start(place)
    guard start.pointee < Self.stride &- 1 else { return }
    start.pointee &+= 1
    start[Int(start.pointee)] = number
  }

  /// Puts other numbers in the place of those of a place.
  @inline(__always)
  mutating func update(_ place: Int, _ transform: (UInt32) -> UInt32) {
    let start = start(place)
    var index = 1
    while index <= start.pointee {
      start[index] = transform(start[index])
      index &+= 1
    }
  }

  /// What the numbers meant is gone.
  mutating func forgetAll() {
    for place in 0..<Self.placeCount { begin(place) }
  }
}
