/// Texts about an index, for people who see its points on a map. Each text is nil if it was not given.
///
/// A section of kind `description` begins with the lengths of the three texts in bytes (4 bytes each), followed by
/// 4 zero bytes. The length of a text that is nil is 0. The texts in UTF-8 follow, one after the other.
public struct IndexDescription: Hashable, Sendable {
  /// The title, which says what the points are.
  public var title: String?
  /// The attribution, which names the source of the data. Maps show the attribution in a corner.
  public var attribution: String?
  /// The unit of the coordinates, such as `m`, if the coordinates are x and y. The coordinates of all other indexes
  /// are degrees.
  public var unit: String?

  /// Makes a description. An empty text counts as nil.
  public init(title: String? = nil, attribution: String? = nil, unit: String? = nil) {
    func text(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
    (self.title, self.attribution, self.unit) = (text(title), text(attribution), text(unit))
  }

  /// Whether all three texts are nil.
  package var isEmpty: Bool { self == IndexDescription() }

  package static let fixedLength = 16

  init(_ section: NamedBytes) throws(IndexError) {
    let bytes = section.bytes
    try section.require(
      bytes.count >= Self.fixedLength, at: 0, "a description of \(Self.fixedLength) bytes or more",
      found: "\(bytes.count) bytes")
    let texts = Self.texts(in: bytes)
    try section.require(
      texts != nil, at: 0, "texts that fill the \(bytes.count) bytes of the section",
      found: "\((0..<3).map { bytes.read(at: 4 * $0) as UInt32 }) bytes")
    let (title, attribution, unit) = texts!
    func decoded(_ text: UnsafeRawBufferPointer) -> String { String(decoding: text, as: UTF8.self) }
    self.init(title: decoded(title), attribution: decoded(attribution), unit: decoded(unit))
  }

  /// Returns the three texts in a section of at least `fixedLength` bytes; nil if the texts do not fill the rest of the
  /// section exactly.
  package static func texts(in bytes: UnsafeRawBufferPointer) -> (
    UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
  )? {
    var end = fixedLength
    let ranges = (0..<3).map { number in
      let start = end
      end += Int(bytes.read(at: 4 * number) as UInt32)
      return start..<end
    }
    guard end == bytes.count else { return nil }
    let texts = ranges.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    return (texts[0], texts[1], texts[2])
  }

  /// The bytes of the section.
  package var bytes: [UInt8] {
    let texts = [title, attribution, unit].map { Array(($0 ?? "").utf8) }
    let lengths = texts.map { UInt32($0.count) } + [0]
    return lengths.flatMap { length in withUnsafeBytes(of: length.littleEndian) { Array($0) } } + texts.joined()
  }
}

extension ClusterTree {
  /// The title, the attribution and the unit in the tree's index; all nil for a tree built in memory.
  public var indexDescription: IndexDescription { withStorage(\.description) }
}
