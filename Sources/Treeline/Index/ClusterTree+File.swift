#if POSIX
  extension ClusterTree {
    /// Opens an index by mapping it into memory.
    ///
    /// Opening reads only the header, the section table and the names of attributes. So the time to open an index does
    /// not depend on the number of points. A query checks only that it does not read beyond the file. So it does not
    /// notice, for example, a changed byte of a position or a count. `ClusterTree.problems(ofIndex:)` of the module
    /// `TreelineVerification` checks every byte.
    ///
    /// - Parameter path: The path of the index; `-` for standard input, which must be a file.
    /// - Throws: `IndexError`
    /// - Complexity: O(sections)
    public init(contentsOfFile path: String) throws {
      let file = try MappedFile(path: path)
      try self.init(bytes: file.bytes, name: file.name, keeping: file)
    }

    /// Returns whether a file begins like an index. Returns false for a pipe, and reads nothing from it.
    public static func isIndex(atPath path: String) -> Bool {
      do throws(IndexError) {
        let magic = IndexHeader.magic
        return try MappedFile(path: path).withBytes { $0.prefix(magic.count).elementsEqual(magic) }
      } catch { return false }
    }
  }

  extension IndexHeader {
    /// Reads the header of an index.
    package init(ofIndex path: String) throws(IndexError) {
      let file = try MappedFile(path: path)
      self = try file.withBytes { bytes throws(IndexError) in try IndexHeader(bytes, name: file.name) }
    }
  }
#endif
