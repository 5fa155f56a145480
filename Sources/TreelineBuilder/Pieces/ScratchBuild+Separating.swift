import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// Computes the separations of the tree that is written so far; those that an earlier run has computed are taken.
    func separate(_ tree: SeparatedTree) throws(PieceError) -> SeparationFile {
      let file = try SeparationFile(folder.path(.separations), count: pointCount, isWhole: state.isSeparated)
      if state.isSeparated { return file }
      let sharedTree = SeparatedTree(tree.storage, tree.projection) {
        tree.giveBack()
        file.giveBack()
      }
      progress(.separating, 0, pointCount)
      let pieces = SeparationPieces(of: sharedTree, capacity: options.separatedNodes, monitor) { file.set($0, $1) }
      // The pieces' own lock lets one thread in at a time.
      nonisolated(unsafe) let report = progress
      let count = pointCount
      try pieces.run(threads: options.threads) { report(.separating, $0, count) }
      separationWork = pieces.work
      state.isSeparated = true
      try state.save(in: folder)
      return file
    }
  }

  extension ScratchBuild.Options {
    /// How many nodes each thread may have in memory when separations are computed.
    var separatedNodes: Int {
      let perNode = SeparationPieces.bytesPerNode * threads + SeparationPieces.bytesPerShownNode
      return (memory - reserve) / perNode
    }
  }
#endif
