import CLibrary
import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension IndexAssembly {
    /// Adds separations to the index, so that the index can answer queries by spacing. The separations are computed on
    /// this machine after all nodes were written to the index. The nodes are read from the index, and only a part of
    /// them is in memory at a time. The index has the same bytes as an index that is built in memory.
    ///
    /// - Parameters:
    ///   - path: Path of a scratch file. The file takes 2 bytes per point, and is deleted once the index is written.
    ///   - memory: Memory budget in bytes. The process takes about 30 MB in addition to this budget. With a small budget
    ///     the work takes longer. The work needs more than the budget only if there is a long chain of nodes in which
    ///     the separation of each node depends on the next node.
    ///   - threads: Number of threads; nil for all processors.
    public mutating func addSeparations(scratchFile path: String, memory: Int, threads: Int? = nil) {
      addSeparations(scratchFile: path, memory: memory, threads: threads, stoppingWith: nil) { _, _ in }
    }

    /// Adds separations to the index, with progress reports and a way to cancel.
    ///
    /// - Parameter progress: Called with the number of points done and the total number, by one thread at a time.
    package mutating func addSeparations(
      scratchFile path: String, memory: Int, threads: Int?, stoppingWith cancellation: BuildCancellation?,
      progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
      var options = ScratchBuild.Options(rule: .mean, threads: threads, memory: memory, projection: .planar)
      options.computesSeparations = true
      separate = { [options] tree throws(PieceError) in
        let file = try SeparationFile(path, count: tree.storage.pointCount, isWhole: false)
        // Removes the name of the file. The contents of the file remain as long as the file is mapped.
        unlink(path)
        let monitor =
          cancellation.map { BuildMonitor(partOf: $0.monitor, pointCount: 0) } ?? BuildMonitor(pointCount: 0)
        let count = tree.storage.pointCount
        _ = try file.fill(from: tree, options, monitor) { progress($0, count) }
        return file
      }
    }
  }

  extension SeparationFile {
    /// Computes all separations of a tree.
    ///
    /// - Parameter progress: Called with the number of points done, by one thread at a time.
    func fill(
      from tree: SeparatedTree, _ options: ScratchBuild.Options, _ monitor: BuildMonitor,
      progress: @escaping @Sendable (_ done: Int) -> Void
    ) throws(PieceError) -> SeparationParts.Work {
      let (capacity, threads) = options.separatedNodes(of: tree.storage.pointCount)
      let sharedTree = SeparatedTree(tree.storage, tree.projection, pageBytes: options.separationPages / threads) {
        tree.giveBack()
        self.giveBack()
      }
      let parts = SeparationParts(of: sharedTree, capacity: capacity, threads: threads, monitor) { self.set($0, $1) }
      try parts.run(progress: progress)
      return parts.work
    }
  }

  extension ScratchBuild.Options {
    /// Returns the number of nodes that a part may have in memory when separations are computed, and the number of
    /// threads. Each thread works on one part at a time.
    ///
    /// A part is read together with a margin around it. A small part has fewer nodes than its margin. So parts are as
    /// large as the available memory allows.
    ///
    /// Suppose that the tree has n points, and that there is memory for c nodes of a part. Then about c nodes are
    /// shown when the first part ends, and there are about n / c nodes below each of them. A small part and its margin
    /// contain about 1500 of the shown nodes, so about 1500 n / c nodes must fit into memory. Therefore c should be
    /// about √(1500 n). If c is half of √(1500 n), a third more nodes are read. If c would be less than a quarter of
    /// √(1500 n) with all threads, fewer threads work, and each thread gets more memory.
    func separatedNodes(of pointCount: Int) -> (capacity: Int, threads: Int) {
      let room = max(memory - reserve - separationPages, 0)
      func capacity(_ threads: Int) -> Int {
        room / (SeparationParts.bytesPerNode * threads + SeparationParts.bytesPerShownNode)
      }
      let enough = max(Int((1500 * Double(pointCount)).squareRoot()) / 4, leastSeparatedNodes)
      let threads = (1...max(threads, 1)).last { capacity($0) >= enough } ?? 1
      return (max(capacity(threads), leastSeparatedNodes), threads)
    }

    /// Greatest number of bytes that two files together have in memory: the index and the file of separation codes.
    var separationPages: Int { min(memory / 8, 32_000_000) }
  }
#endif
