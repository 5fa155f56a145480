import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// Computes the separations of the tree that has been written so far, or reuses the separations of an earlier run.
    func separate(_ tree: SeparatedTree) throws(PieceError) -> SeparationFile {
      let file = try SeparationFile(folder.path(.separations), count: pointCount, isWhole: state.isSeparated)
      if state.isSeparated { return file }
      progress(.separating, 0, pointCount)
      // Only one thread at a time calls `report`.
      nonisolated(unsafe) let report = progress
      let count = pointCount
      separationWork = try file.fill(from: tree, options, monitor) { report(.separating, $0, count) }
      try file.synchronize()
      state.isSeparated = true
      state.files = [
        FileChecksum(
          name: ScratchFolder.Name.separations.rawValue, length: UInt64(file.byteCount), checksum: try file.checksum)
      ]
      try state.save(in: folder)
      return file
    }
  }
#endif
