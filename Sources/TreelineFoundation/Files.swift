import Foundation
import Treeline
import TreelineBuilder

#if canImport(System)
  import System
#endif

extension ClusterTree {
  /// Opens the index at a file URL; see `init(contentsOfFile:)`.
  ///
  /// - Throws: `IndexError`; `CocoaError` if the URL is not a file URL.
  public init(contentsOf url: URL) throws { try self.init(contentsOfFile: url.indexPath) }

  /// Returns whether the file at a URL begins like an index; false if the URL is not a file URL.
  public static func isIndex(at url: URL) -> Bool { url.isFileURL && isIndex(atPath: url.path) }

  /// Writes the tree as an index to a file URL; see `write(toFile:)` of `TreelineBuilder`.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - attributes: Columns to keep for display.
  ///   - columns: Typed columns.
  ///   - description: Description of the index for people; nil to keep the description of the tree.
  ///   - overwriting: Whether to replace a file that is not an index.
  /// - Throws: `IndexWritingError`; `CocoaError` if the URL is not a file URL.
  public func write(
    to url: URL, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [], description: IndexDescription? = nil,
    overwriting: Bool = false
  ) throws {
    try write(
      toFile: url.indexPath, attributes: attributes, columns: columns, description: description,
      overwriting: overwriting)
  }

  #if canImport(System)
    /// Opens the index at a path; see `init(contentsOfFile:)`.
    ///
    /// - Throws: `IndexError`
    public init(contentsOf path: System.FilePath) throws { try self.init(contentsOfFile: path.string) }

    /// Returns whether the file at a path begins like an index.
    public static func isIndex(at path: System.FilePath) -> Bool { isIndex(atPath: path.string) }

    /// Writes the tree as an index to a path; see `write(toFile:)` of `TreelineBuilder`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - attributes: Columns to keep for display.
    ///   - columns: Typed columns.
    ///   - description: Description of the index for people; nil to keep the description of the tree.
    ///   - overwriting: Whether to replace a file that is not an index.
    /// - Throws: `IndexWritingError`
    public func write(
      to path: System.FilePath, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
      description: IndexDescription? = nil, overwriting: Bool = false
    ) throws {
      try write(
        toFile: path.string, attributes: attributes, columns: columns, description: description,
        overwriting: overwriting)
    }
  #endif
}

extension URL {
  /// The path of a file URL.
  fileprivate var indexPath: String {
    get throws {
      guard isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: self]) }
      return path
    }
  }
}
