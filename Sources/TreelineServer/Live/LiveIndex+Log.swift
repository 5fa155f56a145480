@_spi(Server) import TreelineBuilder

extension LiveIndex {
  /// Writes the next group of waiting batches to the log. If a batch is still waiting afterwards, the next group is
  /// written after the other work that waits for `writer`, such as a new start of the log.
  func write() {
    guard let requests = nextGroup() else { return }
    var results: [Result<LiveAnswer, any Error>] = []
    var overlay: [PointKey: KeyedPoint?] = [:]
    var entries: [(request: Int, entry: LiveRecord.Entry)] = []
    var pointCount = 0
    state.withLock { state in
      pointCount = state.pointCount
      var sequence = state.sequence
      var known: [String: Known] = [:]
      for request in requests {
        let batch = request.batch
        if let failure = state.failure {
          results.append(.failure(Problem.liveFailure(failure)))
        } else if let answered = known[batch.id] ?? state.known[batch.id] {
          results.append(
            answered.digest == batch.digest ? .success(answered.answer) : .failure(Problem.otherBatch))
        } else {
          let (inserted, replaced, removed) = state.effect(of: batch.changes, after: overlay)
          guard pointCount + inserted - removed <= LiveIndex.mostPoints else {
            results.append(.failure(Problem.tooManyPoints))
            continue
          }
          pointCount += inserted - removed
          sequence += 1
          let answer = LiveAnswer(sequence: sequence, inserted: inserted, replaced: replaced, removed: removed)
          overlay.merge(batch.changes) { $1 }
          known[batch.id] = Known(digest: batch.digest, answer: answer)
          let entry = LiveRecord.Entry(id: batch.id, digest: batch.digest, answer: answer, lines: batch.lines)
          entries.append((results.count, entry))
          results.append(.success(answer))
        }
      }
    }
    if !entries.isEmpty {
      do {
        var record: [UInt8] = []
        for (_, entry) in entries { LiveRecord.append(entry, to: &record) }
        try log.append(record)
        state.withLock { state in
          if state.pending.isEmpty { state.pendingSince = .now }
          state.pending.merge(overlay) { $1 }
          (state.pointCount, state.logLength) = (pointCount, log.length)
          for (_, entry) in entries { state.remember(entry) }
        }
        startMapping()
      } catch {
        logger.error("Refused batches", metadata: ["index": "\(name)", "error": "\(error)"])
        let ids = Set(entries.map(\.entry.id))
        // Two requests of this group may contain the same batch. The record contains this batch only once. Writing
        // the record has failed, so both requests get the error.
        for (number, request) in requests.enumerated() where ids.contains(request.batch.id) {
          if case .success = results[number] { results[number] = .failure(Problem(ofLog: error)) }
        }
      }
    }
    for (request, result) in zip(requests, results) { request.continuation.resume(with: result) }
    writer.async { self.write() }
  }

  private func nextGroup() -> [Request]? {
    state.withLock { state in
      var length = 0
      let count = state.waiting.prefix { request in
        defer { length += request.batch.lines.count }
        return length < Self.longestGroup
      }.count
      let group = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(count)
      if group.isEmpty { state.isWriting = false }
      return group.isEmpty ? nil : group
    }
  }
}
