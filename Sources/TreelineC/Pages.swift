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
    let page = try MapPage(folder: text(map, "the folder of a map")).page(
      of: tree, contentHash: tree.contentHash, title: string(title) ?? tree.withStorage(\.description).title ?? "Map",
      basemap: string(basemap))
    return BytesObject(page)
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
    (options.map, options.title) = (string(map), string(title))
    (options.isSingleFile, options.removesOldPages) = (isSingleFile, removesOldPages)
    try tree.publish(to: text(folder, "a folder"), options: options)
  } != nil
}
