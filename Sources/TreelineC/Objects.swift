#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// What C holds is a pointer to an object of a class, which it owns until it frees it. The opaque types of the header
// are one pointer to Swift, so each function says of which class its arguments are.

extension OpaquePointer {
  /// A pointer for C, which owns the object from now on.
  init(owning object: AnyObject) { self.init(Unmanaged.passRetained(object).toOpaque()) }

  /// The object that C holds.
  fileprivate func object<Object: AnyObject>(_: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(self)).takeUnretainedValue()
  }

  /// Gives up what C held.
  func release() { Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(self)).release() }
}

extension OpaquePointer? {
  /// The object that C passes; nil for NULL.
  func objectIfAny<Object: AnyObject>(_ type: Object.Type) -> Object? { self?.object(type) }

  /// The object that C passes.
  ///
  /// - Throws: `ArgumentError` for NULL.
  func object<Object: CObject>(_ type: Object.Type) throws -> Object { try given(self, Object.noun).object(type) }
}

/// A class of objects that C holds.
protocol CObject: AnyObject {
  /// What C passes, for messages, such as `a tree`.
  static var noun: String { get }
}

/// What C passes.
///
/// - Throws: `ArgumentError` for NULL.
func given<Pointer>(_ pointer: Pointer?, _ noun: String) throws -> Pointer {
  guard let pointer else { throw ArgumentError("expected \(noun), found NULL") }
  return pointer
}

/// A text that C passes; invalid UTF-8 is repaired.
///
/// - Throws: `ArgumentError` for NULL.
func text(_ text: UnsafePointer<CChar>?, _ noun: String) throws -> String { String(cString: try given(text, noun)) }

/// An array that C passes.
///
/// - Throws: `ArgumentError` for NULL, unless it is one of nothing, and for more entries than memory has room for.
func array<Entry>(_ start: UnsafePointer<Entry>?, _ count: Int, of noun: String) throws -> UnsafeBufferPointer<Entry> {
  guard fitsMemory(count, stride: MemoryLayout<Entry>.stride) else {
    throw ArgumentError("expected no more \(noun) than memory has room for, found \(size(count))")
  }
  guard count == 0 || start != nil else { throw ArgumentError("expected \(count) \(noun), found NULL") }
  return UnsafeBufferPointer(start: start, count: count)
}

/// Whether an array can have as many entries, each so many bytes behind the one before.
func fitsMemory(_ count: Int, stride: Int) -> Bool {
  let (length, overflows) = count.multipliedReportingOverflow(by: stride)
  // Addresses have 47 bits.
  return count >= 0 && !overflows && length.magnitude <= 1 << 47
}

/// A size of C as it is there.
func size(_ count: Int) -> UInt { UInt(bitPattern: count) }

/// Memory that stays where it is, for pointers that are handed to C.
final class Block: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer

  /// - Parameter byteCount: May be 0: there is a pointer then, too.
  init(byteCount: Int) { memory = .allocate(byteCount: max(byteCount, 8), alignment: 8) }

  convenience init<Entry: BitwiseCopyable>(_ entries: [Entry]) {
    self.init(byteCount: entries.count * MemoryLayout<Entry>.stride)
    entries.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count) }
  }

  /// A text with the zero that ends it.
  convenience init(text: String) { self.init(Array(text.utf8CString)) }

  deinit { memory.deallocate() }

  /// Valid as long as the block.
  var start: UnsafeRawPointer { UnsafeRawPointer(memory) }
  var text: UnsafePointer<CChar> { start.assumingMemoryBound(to: CChar.self) }

  /// One of several arrays of 8-byte entries that lie one behind the other.
  func array<Entry: BitwiseCopyable>(_ number: Int, of _: Entry.Type = Entry.self, count: Int)
    -> UnsafeMutablePointer<Entry>
  { (memory + 8 * count * number).assumingMemoryBound(to: Entry.self) }
}

/// A text of C; invalid UTF-8 is repaired.
func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
