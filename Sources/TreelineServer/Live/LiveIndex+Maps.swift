import Foundation
@_spi(Server) import Treeline
@_spi(Server) import TreelineBuilder
@_spi(Server) import TreelineFormats

extension LiveIndex {
  /// Starts to make the next map, unless a thread is making maps already. Each map is a new version of the index.
  func startMapping() {
    let isIdle = state.withLock { state in
      defer { state.isMapping = true }
      return !state.isMapping
    }
    if isIdle { continueMapping() }
  }

  private func continueMapping() {
    let isHurried = state.withLock { $0.pace.isHurried(at: .now) }
    (isHurried ? hurriedMapper : mapper).submit { _ in self.makeMaps(isHurried: isHurried) }
  }

  /// Makes maps until no change is waiting. There are two threads: one has a low priority, and the other has the usual
  /// priority (see `MapPace`). `isHurried` is true on the thread of the usual priority. When the priority must change,
  /// the running thread stops and the other thread continues. As long as each map takes at most 1 second, the running
  /// thread uses at most half of one core.
  private func makeMaps(isHurried: Bool) {
    #if canImport(Glibc)
      if !isHurried { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15) }
    #endif
    while let next = nextChanges() {
      let (start, processorStart) = (ContinuousClock.now, Self.processorTime)
      if !next.changes.isEmpty {
        do {
          let map = try next.map.updating(next.changes)
          let index = ServedIndex(
            name: name, tree: map.tree, description: description, key: key.name,
            version: Self.version(next.history), sequence: next.sequence, filterBytes: filterBytes)
          state.withLock { state in
            state.map = map
            state.applying = [:]
            (state.mapSequence, state.mapHistory) = (next.sequence, next.history)
            state.mapLogLength = next.logLength
          }
          versions.publish(index)
          let now = ContinuousClock.now
          if let since = next.since { state.withLock { $0.pace.publish(after: now - since, at: now) } }
        } catch {
          logger.critical(
            "Could not make a new version of a live index", metadata: ["index": "\(name)", "error": "\(error)"])
          state.withLock { $0.failure = "\(error)" }
          return
        }
      }
      compact()
      let rest = MapPace.rest(
        after: ContinuousClock.now - start, processorTime: Self.processorTime - processorStart, isHurried: isHurried)
      usleep(UInt32(rest / .microseconds(1)))
      if state.withLock({ $0.pace.isHurried(at: .now) }) != isHurried { return continueMapping() }
    }
  }

  /// Processor time of this thread.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The changes since the newest map, and the time of the oldest change.
  private struct NextChanges {
    let map: Map
    let changes: [PointKey: KeyedPoint?]
    let since: ContinuousClock.Instant?
    let sequence: UInt64
    let history: UInt64
    let logLength: Int
  }

  private func nextChanges() -> NextChanges? {
    state.withLock { state in
      guard !state.pending.isEmpty || state.isCompactionDue else {
        state.isMapping = false
        return nil
      }
      (state.applying, state.pending) = (state.pending, [:])
      return NextChanges(
        map: state.map, changes: state.applying, since: state.pendingSince, sequence: state.sequence,
        history: state.history, logLength: state.logLength)
    }
  }

  /// Notes in the log that the log will belong to a new index file.
  private func note(ofIndex checksum: UInt64) throws(IndexWritingError) {
    do {
      try writer.sync {
        try log.append(LiveRecord.note(ofIndex: checksum, key: key.name))
        state.withLock { $0.logLength = log.length }
      }
    } catch { throw .failed(path: path, action: "note it in the log", reason: "\(error)") }
  }

  /// Writes the newest map as the index file, and removes the map's batches from the log.
  private func compact() {
    let due = state.withLock { state in
      state.isCompactionDue
        ? (map: state.map, length: state.mapLogLength, sequence: state.mapSequence, history: state.mapHistory) : nil
    }
    guard let due else { return }
    do {
      let destination = try IndexDestination(path)
      var checksum: UInt64 = 0
      destination.onCompletion = { (new: UInt64) throws(IndexWritingError) in
        checksum = new
        try self.note(ofIndex: new)
      }
      try due.map.tree.write(to: destination, description: description)
      // While this block runs on the queue of the log, nothing is appended to the log.
      try writer.sync {
        let answers = state.withLock { $0.answers(upTo: due.sequence) }
        let first = LiveRecord(
          history: due.history, sequence: due.sequence, indexChecksum: checksum, key: key.name,
          answers: answers)
        try log.replace(startingWith: first.bytes, keepingFrom: due.length)
        state.withLock { state in
          let removed = state.logLength - log.length
          state.logLength = log.length
          state.mapLogLength = due.length - removed
          // The new log contains only remembered answers, and batches that are not in the map. The remembered answers
          // alone may be longer than `longestLog`. So the next compaction is due only when newer maps contain batches
          // that take more than `longestLog` bytes of the log.
          state.compactionLength = state.mapLogLength + longestLog
        }
      }
      logger.notice("Wrote a live index", metadata: ["index": "\(name)", "sequence": "\(due.sequence)"])
    } catch {
      logger.error(
        "Could not write a live index, so its log was kept", metadata: ["index": "\(name)", "error": "\(error)"])
      state.withLock { $0.compactionLength = $0.logLength + longestLog }
    }
  }
}
