/// The nodes of a cut while it is made: kept in tree order, and expanded level by level.
///
/// All of it is one piece of memory, the only one that a query asks for besides its answer: a slot for each node, and
/// two lists of slots, those of the level that is being expanded and those of the next.
struct Front: ~Copyable {
  struct Slot {
    var node: Node
    var sight: Sight
    /// The slot of the next node in tree order.
    var next: Int32
  }

  private static let end: Int32 = -1

  /// An answer of more nodes than this makes the memory grow: limits are often said to be huge and seldom are reached.
  private static let capacityAtFirst = 4096

  /// For removed nodes, of which there are few, and for the slot that is written and not used.
  private static let room = 32

  private var capacity: Int
  private var slots: UnsafeMutablePointer<Slot>
  private var level: UnsafeMutablePointer<Int32>
  private var below: UnsafeMutablePointer<Int32>
  /// How many nodes it has.
  private(set) var count = 0
  /// How many slots are in use, those of removed nodes among them.
  private(set) var slotCount = 0
  private var levelCount = 0
  private var position = 0
  private var belowCount = 0

  init(of root: Node, _ sight: Sight, capacity: Int) {
    self.capacity = min(capacity, Self.capacityAtFirst) + Self.room
    (slots, level, below) = Self.allocate(self.capacity)
    slots.initialize(to: Slot(node: root, sight: sight, next: Self.end))
    below[0] = 0
    (count, slotCount, belowCount) = (1, 1, 1)
  }

  deinit { slots.deallocate() }

  private static func allocate(
    _ capacity: Int
  ) -> (UnsafeMutablePointer<Slot>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) {
    let bytes = capacity * (MemoryLayout<Slot>.stride + 2 * MemoryLayout<Int32>.stride)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: MemoryLayout<Slot>.alignment)
    let lists = (memory + capacity * MemoryLayout<Slot>.stride).bindMemory(
      to: Int32.self, capacity: 2 * capacity)
    return (memory.bindMemory(to: Slot.self, capacity: capacity), lists, lists + capacity)
  }

  @inline(__always)
  private mutating func grow() {
    (slots, level, below) = Self.moved(
      slots, slotCount, level, levelCount, below, belowCount, to: 2 * capacity)
    capacity *= 2
  }

  /// Takes no front, so that all of one stays in registers.
  @inline(never)
  private static func moved(
    _ slots: UnsafeMutablePointer<Slot>, _ slotCount: Int, _ level: UnsafeMutablePointer<Int32>,
    _ levelCount: Int,
    _ below: UnsafeMutablePointer<Int32>, _ belowCount: Int, to capacity: Int
  ) -> (UnsafeMutablePointer<Slot>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) {
    let (newSlots, newLevel, newBelow) = allocate(capacity)
    newSlots.update(from: slots, count: slotCount)
    newLevel.update(from: level, count: levelCount)
    newBelow.update(from: below, count: belowCount)
    slots.deallocate()
    return (newSlots, newLevel, newBelow)
  }

  @inline(__always)
  subscript(slot: Int) -> Slot { slots[slot] }

  /// Goes on to the nodes that were reached from this level, if there are any.
  @inline(__always)
  mutating func nextLevel() -> Bool {
    swap(&level, &below)
    (levelCount, position, belowCount) = (belowCount, 0, 0)
    return levelCount > 0
  }

  /// The slot of the next node of this level, if there is one.
  @inline(__always)
  mutating func next() -> Int? {
    guard position < levelCount else { return nil }
    defer { position &+= 1 }
    return Int(level[position])
  }

  /// Puts two nodes, all of which is seen, where one was.
  @inline(__always)
  mutating func split(_ slot: Int, into left: Node, and right: Node) {
    if slotCount == capacity { grow() }
    (slots + slotCount).initialize(to: Slot(node: right, sight: .whole, next: slots[slot].next))
    slots[slot] = Slot(node: left, sight: .whole, next: Int32(truncatingIfNeeded: slotCount))
    enqueue(slot, left)
    enqueue(slotCount, right)
    slotCount &+= 1
    count &+= 1
  }

  /// Notes a node of the next level, without a branch, if it is more than a point: a point has no children.
  @inline(__always)
  private mutating func enqueue(_ slot: Int, _ node: Node) {
    below[belowCount] = Int32(truncatingIfNeeded: slot)
    belowCount &+= node.count > 1 ? 1 : 0
  }

  /// Puts those of two nodes that are seen where one was.
  ///
  /// Written without branches, for which of them are seen is as good as random.
  @inline(__always)
  mutating func expand(_ slot: Int, into left: Node, _ leftSight: Sight, and right: Node, _ rightSight: Sight)
  {
    if leftSight == .none && rightSight == .none { return remove(slot) }
    if slotCount == capacity { grow() }
    let hasLeft = leftSight != .none
    let hasBoth = hasLeft && rightSight != .none
    let next = slots[slot].next
    (slots + slotCount).initialize(to: Slot(node: right, sight: rightSight, next: next))
    slots[slot].node.first = hasLeft ? left.first : right.first
    slots[slot].node.count = hasLeft ? left.count : right.count
    slots[slot].node.record = hasLeft ? left.record : right.record
    slots[slot].node.level = left.level
    slots[slot].node.depthInBucket = left.depthInBucket
    slots[slot].sight = hasLeft ? leftSight : rightSight
    slots[slot].next = hasBoth ? Int32(truncatingIfNeeded: slotCount) : next
    enqueue(slot, slots[slot].node)
    below[belowCount] = Int32(truncatingIfNeeded: slotCount)
    belowCount &+= hasBoth && right.count > 1 ? 1 : 0
    slotCount &+= hasBoth ? 1 : 0
    count &+= hasBoth ? 1 : 0
  }

  /// Leaves a node out of the cut. Its slot stays, as that of a whole node of no points, which nothing expands.
  @inline(__always)
  private mutating func remove(_ slot: Int) {
    slots[slot].node.count = 0
    slots[slot].sight = .whole
    count &-= 1
  }

  @inline(__always)
  mutating func removeAll(where isSuperfluous: (Node, Sight) throws(IndexError) -> Bool) throws(IndexError) {
    for slot in 0..<slotCount where try isSuperfluous(slots[slot].node, slots[slot].sight) { remove(slot) }
  }

  /// In tree order.
  var nodes: [Node] {
    [Node](unsafeUninitializedCapacity: count) { nodes, initializedCount in
      var slot: Int32 = 0
      while slot != Self.end {
        let node = slots[Int(slot)].node
        if node.count > 0 {
          nodes.initializeElement(at: initializedCount, to: node)
          initializedCount &+= 1
        }
        slot = slots[Int(slot)].next
      }
    }
  }
}
