import CSQLite
@_spi(Server) import Treeline
@_spi(Server) import TreelineTiles

/// A file of tiles in MBTiles 1.3 (https://github.com/mapbox/mbtiles-spec): an SQLite database of gzip-compressed
/// tiles.
final class MBTiles: TileArchive {
  private let path: String
  private var database: OpaquePointer?
  private var insertion: OpaquePointer?

  /// Creates the tables.
  ///
  /// - Parameters:
  ///   - file: Path of an empty file, which SQLite fills.
  ///   - path: Path of the output, as messages show it.
  init(file: String, path: String) throws {
    self.path = path
    try check(sqlite3_open(file, &database))
    // The file gets its final name when it is complete. So it needs no journal and no flushing while it is written.
    try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = 0x4d504258")
    try run("BEGIN")
    try run("CREATE TABLE metadata (name text, value text)")
    try run("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
    let insert = "INSERT INTO tiles (zoom_level, tile_column, tile_row, tile_data) VALUES (?, ?, ?, ?)"
    try check(sqlite3_prepare_v2(database, insert, -1, &insertion, nil))
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(database)
  }

  func append(_ tile: TilePyramid.Tile) throws {
    try check(sqlite3_reset(insertion))
    // In MBTiles, rows are counted from the south.
    let row = 1 << tile.tile.zoom - 1 - tile.tile.y
    for (number, value) in [tile.tile.zoom, tile.tile.x, row].enumerated() {
      try check(sqlite3_bind_int64(insertion, Int32(number + 1), Int64(value)))
    }
    try tile.bytes.withUnsafeBytes { bytes in
      // SQLite reads the bytes before this closure ends.
      try check(sqlite3_bind_blob64(insertion, 4, bytes.baseAddress, UInt64(bytes.count), nil))
      try check(sqlite3_step(insertion))
    }
  }

  func finish(_ description: TileDescription) throws {
    sqlite3_finalize(insertion)
    insertion = nil
    try run("CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)")
    func list(_ numbers: [Double]) -> String { numbers.map { "\($0)" }.joined(separator: ",") }
    var metadata = [
      ("name", description.name), ("format", "pbf"), ("type", "overlay"),
      ("minzoom", "\(description.zooms.lowerBound)"), ("maxzoom", "\(description.zooms.upperBound)"),
      ("bounds", list(description.extent.bounds)),
      ("center", list(Array(description.extent.center.prefix(2))) + ",\(Int(description.extent.center[2]))"),
      ("json", try description.layersAsJSON),
    ]
    if let attribution = description.attribution { metadata.append(("attribution", attribution)) }
    try check(sqlite3_prepare_v2(database, "INSERT INTO metadata (name, value) VALUES (?, ?)", -1, &insertion, nil))
    for (name, value) in metadata {
      try check(sqlite3_reset(insertion))
      for (number, text) in [name, value].enumerated() {
        // -1 is SQLITE_TRANSIENT. It makes SQLite copy the text.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try check(sqlite3_bind_text(insertion, Int32(number + 1), text, Int32(clamping: text.utf8.count), copies))
      }
      try check(sqlite3_step(insertion))
    }
    sqlite3_finalize(insertion)
    insertion = nil
    try run("COMMIT")
    try check(sqlite3_close(database))
    database = nil
  }

  private func run(_ statements: String) throws { try check(sqlite3_exec(database, statements, nil, nil, nil)) }

  private func check(_ status: Int32) throws {
    if [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(status) { return }
    let reason = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(status))
    throw Failure.inputOutput("\(path): could not be written: \(reason)")
  }
}
