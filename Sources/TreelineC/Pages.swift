import CTreeline
import Treeline
import TreelinePages

@_cdecl("treeline_map_page")
public func mapPage(
  _ tree: OpaquePointer?, _ map: UnsafePointer<CChar>?, _ title: UnsafePointer<CChar>?,
  _ basemap: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).unfiltered
    let basemap = try string(basemap, "a basemap")
    if let basemap { try checkStyle(basemap) }
    let page = try MapPage(folder: text(map, "the folder of a map")).page(
      of: tree, contentHash: tree.contentHash,
      title: string(title, "a title") ?? tree.withStorage(\.description).title ?? "Map", basemap: basemap)
    return BytesObject(page)
  }
}

/// Checks that a basemap is an object, which should be a style, or a string, which should be the URL of a style.
private func checkStyle(_ basemap: String) throws {
  let bytes = Array(basemap.utf8)
  let isStyle = bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "\"") && bytes.count > 2
  guard isStyle, bytes.withUnsafeBytes(JSONSyntax.isValue) else {
    throw ArgumentError(
      "expected a basemap in JSON: a MapLibre style such as {\"version\":8,…}, or the URL of a style in double quotes; "
        + "found \(basemap.prefix(60).debugDescription)")
  }
}

@_cdecl("treeline_publish")
public func publish(
  _ tree: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ map: UnsafePointer<CChar>?,
  _ title: UnsafePointer<CChar>?, _ isSingleFile: Bool, _ removesOldPages: Bool, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let tree = try tree.object(TreeObject.self).unfiltered
    var options = PublishOptions()
    (options.map, options.title) = (try string(map), try string(title, "a title"))
    (options.isSingleFile, options.removesOldPages) = (isSingleFile, removesOldPages)
    try tree.publish(to: text(folder, "a folder"), options: options)
  } != nil
}
