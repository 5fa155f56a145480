import PointSets
import Testing

@testable import TreelineBuilder

/// The queue of appointments against a sorted list.
@Suite struct FallingQueueTests {
  let monitor = BuildMonitor(pointCount: 1)

  /// Appointments of every size, many of them equal; others are added while they are kept, none for a greater distance.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func keepsAppointmentsInOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bits = UInt64(random.index(below: 64))
    let kinds = 1 + random.index(below: 1000)
    func make(_ fork: Int, atMost greatest: UInt64) -> Appointment {
      let distance = (random.next() >> bits) / UInt64(kinds) * UInt64(kinds)
      return Appointment(
        squaredDistance: max(min(distance, greatest), 1), fork: UInt32(fork), stamp: UInt32(fork))
    }
    var queue = FallingQueue(monitor)
    var waiting: [Appointment] = []
    var made = 0
    func add(_ count: Int, atMost greatest: UInt64) -> [Appointment] {
      let forks = random.shuffled(Array(made..<made + count))
      made += count
      return forks.map { make($0, atMost: greatest) }
    }
    for appointment in add(1 + random.index(below: 3000), atMost: .max) {
      queue.add(appointment)
      waiting.append(appointment)
    }
    waiting.sort { $0.precedes($1) }
    while let appointment = queue.next() {
      #expect(appointment.rank == waiting.first?.rank, "seed \(seed)")
      guard !waiting.isEmpty else { return }
      waiting.removeFirst()
      if made < 6000, random.index(below: 3) == 0 {
        for new in add(1 + random.index(below: 4), atMost: appointment.squaredDistance) {
          queue.add(new)
          waiting.insert(new, at: waiting.firstIndex { new.precedes($0) } ?? waiting.count)
        }
      }
    }
    #expect(waiting.isEmpty, "seed \(seed)")
  }

  /// Whoever looks some places ahead of each that is told has seen whatever comes before it comes, in order and each once,
  /// but for what is added later.
  @Test(arguments: [0, 1, 12])
  func tellsItsProgress(ahead: Int) {
    var queue = FallingQueue(monitor)
    for fork: UInt32 in 1...1000 {
      queue.add(Appointment(squaredDistance: UInt64(1 + fork / 100), fork: fork, stamp: 0))
    }
    var seen: [UInt32] = []
    var kept: [UInt32] = []
    while let appointment = queue.next() {
      for place in queue.progress(ahead: ahead) where queue.sorted.indices.contains(place + ahead) {
        seen.append(queue.sorted[place + ahead].fork)
      }
      kept.append(appointment.fork)
      let isSeen = seen.count >= kept.count && seen[kept.count - 1] == appointment.fork
      #expect(isSeen, "\(kept.count)")
      // What is late is not told of.
      if kept.count == 500 {
        queue.add(Appointment(squaredDistance: appointment.squaredDistance, fork: 0, stamp: 0))
        #expect(queue.next()?.fork == 0 && queue.progress(ahead: ahead).isEmpty)
      }
    }
    #expect(seen.count == 1000 && kept.count == 1000)
  }

  @Test(arguments: [0, 1, 2, 24, 25, 300, 70_000], [1, 3, 1000, UInt64.max])
  func sortsAnyNumberOfAppointments(count: Int, kinds: UInt64) {
    var random = SplitMix64(seed: UInt64(count))
    var appointments = random.shuffled(Array(0..<count)).map {
      Appointment(squaredDistance: random.next() % kinds << 20, fork: UInt32($0), stamp: 0)
    }
    let expected = appointments.map(\.rank).sorted()
    appointments.withUnsafeMutableBufferPointer { AppointmentSort(monitor: monitor).sort($0) }
    #expect(appointments.map(\.rank) == expected)
    #expect(zip(appointments, appointments.dropFirst()).allSatisfy { $0.precedes($1) })
  }

  @Test func cancelledQueueEnds() {
    var queue = FallingQueue(monitor)
    for fork: UInt32 in 1...100 {
      queue.add(Appointment(squaredDistance: 1 << UInt64(fork / 2), fork: fork, stamp: 0))
    }
    #expect(queue.next()?.fork == 100)
    monitor.cancel()
    #expect(queue.next()?.fork == nil)
  }
}
