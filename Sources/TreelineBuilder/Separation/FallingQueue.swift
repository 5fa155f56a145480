/// Appointments in their order, for a distance that only ever falls: none is made for a greater one than that of the
/// last one kept.
///
/// Distances are cut into bands, 256 an octave of their squares. Appointments of a band that is not reached yet are
/// appended to a chain of blocks, in the order in which they are made. A band that is reached is sorted; what is
/// added to it afterwards waits in a heap. So exact order is paid for within a band only, which the caches hold, and
/// what comes next is known well ahead, which `SplitSequence` needs to have it at hand.
struct FallingQueue: ~Copyable {
  private static let bandBits = 8
  private static let bandCount = (64 - bandBits + 1) << bandBits

  private struct Block {
    var next: UnsafeMutablePointer<Block>?
    private var unused: UInt = 0

    static let capacity = 31

    static func make() -> UnsafeMutablePointer<Block> {
      let size = (capacity + 1) * MemoryLayout<Appointment>.stride
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      return memory.initializeMemory(as: Block.self, to: Block())
    }
  }

  private struct Band {
    var block: UnsafeMutablePointer<Block>?
    /// Of the first block; all others are full, as is none.
    var count = Block.capacity
  }

  private let bands: UnsafeMutablePointer<Band>
  private var spareBlocks: UnsafeMutablePointer<Block>?
  /// The band that is reached.
  private var current = bandCount
  /// The appointments of that band in order, of which the first `position` are over.
  private(set) var sorted: ContiguousArray<Appointment> = []
  private var position = 0
  /// Up to where its progress was told; nil in a band of which nothing was.
  private var told: Int?
  private var late: ContiguousArray<Appointment> = []
  private let monitor: BuildMonitor

  init(_ monitor: BuildMonitor) {
    self.monitor = monitor
    bands = .allocate(capacity: Self.bandCount)
    bands.initialize(repeating: Band(), count: Self.bandCount)
  }

  deinit {
    func free(_ chain: UnsafeMutablePointer<Block>?) {
      var block = chain
      while let this = block {
        block = this.pointee.next
        this.deallocate()
      }
    }
    for band in 0..<Self.bandCount { free(bands[band].block) }
    free(spareBlocks)
    bands.deallocate()
  }

  /// The square of a distance as a floating-point number of `bandBits` bits behind the leading one.
  @inline(__always)
  private static func band(_ squaredDistance: UInt64) -> Int {
    let exponent = max(64 - bandBits - 1 - squaredDistance.leadingZeroBitCount, 0)
    return exponent << bandBits
      + Int(truncatingIfNeeded: squaredDistance >> UInt64(truncatingIfNeeded: exponent))
  }

  @inline(__always)
  private static func appointments(in block: UnsafeMutablePointer<Block>) -> UnsafeMutablePointer<Appointment>
  {
    (UnsafeMutableRawPointer(block) + MemoryLayout<Block>.stride).assumingMemoryBound(to: Appointment.self)
  }

  @inline(__always)
  mutating func add(_ appointment: Appointment) {
    let number = Self.band(appointment.squaredDistance)
    if number >= current {
      addLate(appointment)
      return
    }
    var band = bands[number]
    if band.count == Block.capacity {
      let block = newBlock()
      block.pointee.next = band.block
      band = Band(block: block, count: 0)
    }
    (Self.appointments(in: band.block!) + band.count).initialize(to: appointment)
    band.count &+= 1
    bands[number] = band
  }

  private mutating func newBlock() -> UnsafeMutablePointer<Block> {
    guard let block = spareBlocks else { return Block.make() }
    spareBlocks = block.pointee.next
    return block
  }

  /// The next appointment; nil where there is none left, and soon after the monitor was told to cancel.
  @inline(__always)
  mutating func next() -> Appointment? {
    while position == sorted.count {
      if !late.isEmpty { return takeLate() }
      guard reachNextBand() else { return nil }
    }
    let appointment = sorted[position]
    if let first = late.first, first.precedes(appointment) { return takeLate() }
    position &+= 1
    return appointment
  }

  /// How far it has come in `sorted` since it was asked last, as a range of places. A band begins `ahead` places before its
  /// first: so whoever does something for what comes that many places after each of them, has done it for all in time.
  @inline(__always)
  mutating func progress(ahead: Int) -> Range<Int> {
    let begin = told ?? -ahead
    told = position
    return begin..<position
  }

  private mutating func reachNextBand() -> Bool {
    repeat {
      if current == 0 || monitor.isCancelled { return false }
      current -= 1
    } while bands[current].block == nil
    sorted.removeAll(keepingCapacity: true)
    position = 0
    told = nil
    var count = bands[current].count
    while let block = bands[current].block, !monitor.isCancelled {
      sorted.append(contentsOf: UnsafeBufferPointer(start: Self.appointments(in: block), count: count))
      count = Block.capacity
      bands[current].block = block.pointee.next
      block.pointee.next = spareBlocks
      spareBlocks = block
    }
    sorted.withUnsafeMutableBufferPointer { AppointmentSort(monitor: monitor).sort($0) }
    return true
  }
}

// MARK: - The heap

extension FallingQueue {
  @inline(__always)
  private mutating func addLate(_ appointment: Appointment) {
    late.append(appointment)
    late.withUnsafeMutableBufferPointer { late in
      var place = late.count &- 1
      while place > 0 {
        let parent = (place &- 1) / 2
        guard appointment.precedes(late[parent]) else { break }
        late[place] = late[parent]
        place = parent
      }
      late[place] = appointment
    }
  }

  private mutating func takeLate() -> Appointment {
    let last = late.removeLast()
    if late.isEmpty { return last }
    return late.withUnsafeMutableBufferPointer { late in
      let first = late[0]
      var place = 0
      while 2 &* place &+ 1 < late.count {
        var child = 2 &* place &+ 1
        if child &+ 1 < late.count && late[child &+ 1].precedes(late[child]) { child &+= 1 }
        guard late[child].precedes(last) else { break }
        late[place] = late[child]
        place = child
      }
      late[place] = last
      return first
    }
  }
}
