import Treeline

/// The Z-order curve (G. M. Morton, 1966), which runs through all positions of the plane. Positions that are near each
/// other on the curve are near each other on the plane.
enum ZOrder {
  /// Interleaves the bits of x and y. Bit i of y is placed just above bit i of x.
  @inline(__always) static func code(of point: PlanePoint) -> UInt64 { spread(point.x) | spread(point.y) << 1 }

  @inline(__always) static func point(of code: UInt64) -> PlanePoint {
    PlanePoint(x: gathered(code), y: gathered(code >> 1))
  }

  /// Inserts a zero above each bit.
  @inline(__always) private static func spread(_ value: UInt32) -> UInt64 {
    var bits = UInt64(value)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }

  @inline(__always) private static func gathered(_ code: UInt64) -> UInt32 {
    var bits = code & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: bits | bits >> 16)
  }
}

/// The Z-order code of a position, and the number of the point or leaf that lies there.
struct CodedNumber {
  var code: UInt64
  var number: UInt32
}

extension UnsafeMutableBufferPointer<CodedNumber> {
  /// Sorts by code. Elements with equal codes keep their order. If the build is cancelled, the result is unusable.
  ///
  /// - Complexity: O(count), with one pass for every eleven bits in which codes differ. Sorting also needs a second
  ///   buffer of the same size.
  func sortByCode(_ monitor: BuildMonitor) {
    guard count > 1 else { return }
    let spare = UnsafeMutableBufferPointer.allocate(capacity: count)
    defer { MemoryBlock(spare.baseAddress!, count: count).deallocate() }
    var (differing, first) = (UInt64(0), self[0].code)
    monitor.pass(over: indices) { for index in $0 { differing |= self[index].code ^ first } }
    first = 0
    var (source, target) = (self, spare)
    for shift in stride(from: UInt64(0), to: 64, by: Self.digitBits) {
      guard differing >> shift & Self.digitMask != 0, !monitor.isCancelled else { continue }
      source.sort(into: target, byDigitAt: shift, monitor)
      swap(&source, &target)
    }
    if source.baseAddress != baseAddress {
      monitor.pass(over: indices) { block in
        (baseAddress! + block.lowerBound).update(from: source.baseAddress! + block.lowerBound, count: block.count)
      }
    }
  }

  private static var digitBits: Int { 11 }
  private static var digitMask: UInt64 { 1 << 11 - 1 }

  private func sort(into target: UnsafeMutableBufferPointer, byDigitAt shift: UInt64, _ monitor: BuildMonitor) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Self.digitBits) { starts in
      starts.initialize(repeating: 0)
      monitor.pass(over: indices) { for index in $0 { starts[Int(self[index].code >> shift & Self.digitMask)] &+= 1 } }
      var start = 0
      for digit in starts.indices {
        let size = starts[digit]
        starts[digit] = start
        start += size
      }
      monitor.pass(over: indices) { block in
        for index in block {
          let digit = Int(self[index].code >> shift & Self.digitMask)
          target[starts[digit]] = self[index]
          starts[digit] &+= 1
        }
      }
    }
  }
}
