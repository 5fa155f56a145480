/// Sorts appointments by the eight highest bits in which any two differ, then each part by the next eight, in place
/// (P. McIlroy, K. Bostic, M. D. McIlroy, Engineering radix sort, 1993, American flag sort).
///
/// Millions may have the same distance, in a lattice say, and no step over them may be long: the monitor is looked at
/// every few milliseconds. What a cancelled sort leaves behind is in no order.
struct AppointmentSort {
  let monitor: BuildMonitor

  private static let digitBits = 8
  private static let radix = 1 << digitBits
  /// Fewer are sorted one by one.
  private static let fewAppointments = 24

  /// Calls itself 12 deep at most, a rank having 96 bits.
  func sort(_ appointments: UnsafeMutableBufferPointer<Appointment>) {
    guard appointments.count > Self.fewAppointments else { return sortFew(appointments) }
    let differing = differingBits(of: appointments)
    guard differing != 0, !monitor.isCancelled else { return }
    let shift = UInt128(max(UInt128.bitWidth - differing.leadingZeroBitCount - Self.digitBits, 0))
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * Self.radix + 1) { bounds in
      bounds.initialize(repeating: 0)
      // Where the appointments with each digit begin, and where the next of them goes.
      let starts = UnsafeMutableBufferPointer(rebasing: bounds[...Self.radix])
      let next = UnsafeMutableBufferPointer(rebasing: bounds[(Self.radix + 1)...])
      count(appointments, by: shift, into: starts)
      for digit in 0..<Self.radix { next[digit] = starts[digit] }
      distribute(appointments, by: shift, starts, next)
      for digit in 0..<Self.radix where starts[digit + 1] - starts[digit] > 1 && !monitor.isCancelled {
        sort(UnsafeMutableBufferPointer(rebasing: appointments[starts[digit]..<starts[digit + 1]]))
      }
    }
  }

  @inline(__always)
  private func digit(_ appointment: Appointment, _ shift: UInt128) -> Int {
    Int(truncatingIfNeeded: appointment.rank >> shift) & (Self.radix - 1)
  }

  private func differingBits(of appointments: UnsafeMutableBufferPointer<Appointment>) -> UInt128 {
    let first = appointments[0].rank
    var differing: UInt128 = 0
    for block in appointments.indices.blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
      for index in block { differing |= appointments[index].rank ^ first }
    }
    return differing
  }

  private func count(
    _ appointments: UnsafeMutableBufferPointer<Appointment>, by shift: UInt128,
    into starts: UnsafeMutableBufferPointer<Int>
  ) {
    for block in appointments.indices.blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
      for index in block { starts[digit(appointments[index], shift) + 1] += 1 }
    }
    for digit in 0..<Self.radix { starts[digit + 1] += starts[digit] }
  }

  private func distribute(
    _ appointments: UnsafeMutableBufferPointer<Appointment>, by shift: UInt128,
    _ starts: UnsafeMutableBufferPointer<Int>, _ next: UnsafeMutableBufferPointer<Int>
  ) {
    var untilLook = BuildMonitor.blockSize
    for home in 0..<Self.radix {
      while next[home] < starts[home + 1] {
        let there = digit(appointments[next[home]], shift)
        if there != home { appointments.swapAt(next[home], next[there]) }
        next[there] += 1
        untilLook -= 1
        if untilLook == 0 {
          if monitor.isCancelled { return }
          untilLook = BuildMonitor.blockSize
        }
      }
    }
  }

  private func sortFew(_ appointments: UnsafeMutableBufferPointer<Appointment>) {
    for end in appointments.indices.dropFirst() {
      let appointment = appointments[end]
      var place = end
      while place > 0, appointment.precedes(appointments[place - 1]) {
        appointments[place] = appointments[place - 1]
        place -= 1
      }
      appointments[place] = appointment
    }
  }
}
