import ArgumentParser
import Foundation
@_spi(Server) import Treeline
import TreelineBuilder
import TreelinePages

struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Writes an index as files that browsers query without a server.",
    discussion: """
      The folder gets a map, a manifest and the pages of the index. Upload the folder to any host of static files, \
      below any path. A file of pages never changes, because its name is its checksum. The manifest is written last, so \
      a browser never mixes two versions. There are at most 20,000 files. With --single-file all pages are in one \
      file, for object stores that answer requests for ranges of bytes.

      'treelinemap verify INDEX --site FOLDER' compares a folder with its index.
      """)

  @Argument(help: .init("The index.", valueName: "index")) var path: String

  @Option(name: .shortAndLong, help: .init("The folder to write.", valueName: "folder")) var output: String

  @Flag(help: "Write all pages into one file.") var singleFile = false

  @Flag(help: "Remove pages of earlier versions. Maps that are open in browsers may still need these pages.")
  var removeOld = false

  @OptionGroup var work: ThreadOptions

  /// The member `sizes` of a manifest, for tests and measurements.
  @Option(help: .private) var sizes: String?

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    try checkInputPath(path)
    try checkOutputPath(output, "--output", kind: "folder")
    if let sizes, PageSizes(json: sizes) == nil {
      throw ValidationError("'--sizes' must be the member 'sizes' of a manifest, found '\(sizes)'.")
    }
  }

  func run() throws {
    try reportingFailures {
      let index = try PublishedIndex(path)
      var options = PublishOptions()
      options.map = MapPage.folderOfTool
      options.title = index.givenTitle ?? index.title
      (options.isSingleFile, options.removesOldPages, options.threads) = (singleFile, removeOld, work.threads)
      options.sizes = sizes.flatMap { PageSizes(json: $0) }
      let result = try index.publish(to: output, options)
      Notes.print(
        "treelinemap: wrote \(result.count) \(result.count == 1 ? "file" : "files") of pages to \(output): "
          + "\(Quantity(amount: Double(result.byteCount), unit: "B")) in total, "
          + "\((Double(result.byteCount) / Double(max(index.byteCount, 1))).formatted(.number.precision(.fractionLength(2)))) "
          + "times the size of the index"
          + (result.mapByteCount == 0
            ? "" : "; the map takes another \(Quantity(amount: Double(result.mapByteCount), unit: "B"))"))
      if options.map != nil {
        Notes.print(
          "treelinemap: to show the map in a web page, add this element with the address of the folder: "
            + "<iframe src=\"https://example.org/\" width=\"100%\" height=\"600\"></iframe>"
        )
      } else {
        Notes.print("treelinemap: the folder has no map, because the tool was built without a map; \(MapPage.remedy)")
      }
    }
  }
}

/// A memory-mapped index that will be written as pages.
struct PublishedIndex {
  let tree: ClusterTree
  private let file: MappedFile
  private let header: IndexHeader

  init(_ path: String) throws {
    file = try MappedFile(path: path)
    header = try IndexHeader(ofIndex: path)
    tree = try ClusterTree(bytes: file.bytes, name: file.name, keeping: file)
  }

  var byteCount: Int { file.bytes.count }

  /// Name of the file without its extension, for an index without a title.
  var title: String {
    let name = (file.name as NSString).lastPathComponent as NSString
    return name.deletingPathExtension
  }

  /// The title in the index; nil if the index has no title.
  var givenTitle: String? { tree.withStorage(\.description).title }

  func publish(to folder: String, _ options: PublishOptions) throws -> PublishedFiles {
    do {
      return try withProgress { progress in
        try tree.publish(
          to: folder, options: options, contentHash: header.contentHash, giveBack: file.giveBack,
          willWrite: Interruption.removes, progress: progress)
      }
    } catch let error as PageError {
      throw failure(error)
    } catch IndexWritingError.failed(let path, let action, let reason) {
      throw Failure.inputOutput(
        "\(path): could not \(action): \(reason); free some space, or choose another folder")
    }
  }

  /// Returns an HTML page that contains the index.
  func page(on map: MapPage, title: String, basemap: String?) throws -> [UInt8] {
    try withProgress { progress in
      try map.page(
        of: tree, contentHash: header.contentHash, title: title, basemap: basemap, giveBack: file.giveBack,
        progress: progress)
    }
  }

  /// Returns the failure that the tool reports for an index that cannot be published.
  func failure(_ error: PageError) -> Failure {
    let remedy = tree.isGrouped ? "; build the index again without '--group-by' and '--never-cluster'" : ""
    return .badData("\(file.name): \(error)\(remedy)")
  }

  private func withProgress<Result>(_ work: ((Int) -> Void) throws -> Result) rethrows -> Result {
    let bar = ProgressBar()
    defer { bar.clear() }
    let total = Double(tree.pointCount)
    return try work { bar.show("Writing pages", done: Double($0) / 2, of: total, unit: "points") }
  }

  /// Returns text that describes a difference between the index and a published site; nil if there is no difference.
  func problem(with site: String) throws -> String? {
    do {
      return try PageVerifier(site: site, PageManifest.init(json:)).problem(
        with: tree, contentHash: header.contentHash, giveBack: file.giveBack)
    } catch let error as PageError { throw Failure.badData("\(error)") }
  }
}
