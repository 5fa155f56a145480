import Treeline
import TreelineBuilder

/// Options for publishing a tree.
public struct PublishOptions: Sendable {
  /// Folder with the files of the map; nil for pages without a map. `scripts/build/map-page` makes this folder.
  public var map: String?
  /// Title of the page with the map; nil for the tree's own title.
  public var title: String?
  /// Whether all pages are in one file, for hosts that support HTTP range requests.
  public var isSingleFile = false
  /// Whether pages of earlier versions are removed. If so, a map that is open in a browser may request a removed page.
  public var removesOldPages = false
  /// Number of threads; nil for all cores.
  public var threads: Int?
  /// Sizes of pages, for tests and measurements; nil for sizes that depend on the number of points.
  package var sizes: PageSizes?

  /// The default options: pages in several files, without a map.
  public init() {}
}

/// The files of a published tree, without the manifest and the map.
public struct PublishedFiles: Sendable {
  /// Number of files.
  public var count: Int
  /// Total size in bytes.
  public var byteCount: UInt64
  /// Total size of the map's files in bytes; 0 without a map.
  public var mapByteCount: UInt64 = 0
}

extension ClusterTree {
  /// Writes the tree as files. Browsers answer queries from these files without a server. `treelinemap publish` writes
  /// the same files. The article *Published pages* in the documentation describes the files. The tree is published
  /// without its filter.
  ///
  /// The manifest is written last, so a browser never mixes two versions.
  ///
  /// - Parameter folder: The folder for the files. The folder is created if it does not exist.
  /// - Returns: the number of page files, and their total size.
  /// - Throws: `PageError` if the tree has groups, if the map's files are missing, or if the folder has an `index.html`
  ///   that is not from a published tree. `IndexWritingError` if a file cannot be written.
  /// - Complexity: O(*n*), where *n* is the number of points.
  @discardableResult public func publish(
    to folder: String, options: PublishOptions = PublishOptions()
  ) throws -> PublishedFiles {
    try publish(to: folder, options: options, contentHash: contentHash)
  }

  /// - Parameters:
  ///   - contentHash: The content hash of the tree.
  ///   - giveBack: As in `PagePublisher`.
  ///   - willWrite: Called with the path of a temporary file before the file is written. If the program is
  ///     interrupted, the program should remove this file.
  ///   - progress: As in `PagePublisher`.
  package func publish(
    to folder: String, options: PublishOptions, contentHash: UInt64, giveBack: @escaping @Sendable () -> Void = {},
    willWrite: (String) -> Void = { _ in }, progress: (Int) -> Void = { _ in }
  ) throws -> PublishedFiles {
    let publisher = try PagePublisher(self, contentHash: contentHash, sizes: options.sizes, giveBack: giveBack)
    let map = try options.map.map { try MapPage(folder: $0) }
    let site = try SiteFolder(folder)
    if map != nil, site.has("index.html"), !MapPage.files.prefix(2).allSatisfy(site.has) {
      throw PageError(
        "\(folder): expected a new folder or the folder of a published index, found another 'index.html', which the map "
          + "would replace; choose another folder")
    }
    let pages = options.isSingleFile ? nil : try PageFolder(site: folder)
    let sink: any PageSink = try pages ?? PageFile(site: folder)
    if let file = sink as? PageFile { willWrite(file.unfinishedPath) }
    let manifest = try publisher.write(to: sink, threads: options.threads ?? processorCount, progress: progress)
    var mapByteCount = 0
    if let map {
      let page = try map.site(title: options.title ?? manifest.title ?? "Map")
      for (name, bytes) in try MapPage.files.map({ ($0, try map.bytes($0)) }) + [("index.html", page)] {
        try site.write(bytes, to: name)
        mapByteCount += bytes.count
      }
    }
    try site.write(manifest.json, to: PageManifest.fileName)
    if options.removesOldPages { try site.removePages(except: pages?.names ?? [], and: manifest.file) }
    return PublishedFiles(count: sink.fileCount, byteCount: sink.byteCount, mapByteCount: UInt64(mapByteCount))
  }
}
