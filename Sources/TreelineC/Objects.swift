import CLibrary

// A pointer that C holds refers to an object of a Swift class. C owns the object until C frees it. In Swift, all
// opaque types of the header become the same pointer type. So each function must name the classes of its arguments.

extension OpaquePointer {
  /// Creates a pointer for C and makes C the owner of the object.
  init(owning object: AnyObject) { self.init(Unmanaged.passRetained(object).toOpaque()) }

  /// The object to which a pointer from C refers.
  fileprivate func object<Object: AnyObject>(_: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(self)).takeUnretainedValue()
  }

  /// Releases the object to which a pointer refers. C owned the object until now.
  func release() { Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(self)).release() }
}

extension OpaquePointer? {
  /// Returns the object that C passes; nil if C passes NULL.
  func objectIfAny<Object: AnyObject>(_ type: Object.Type) -> Object? { self?.object(type) }

  /// Returns the object that C passes.
  ///
  /// - Throws: `ArgumentError` if C passes NULL.
  func object<Object: CObject>(_ type: Object.Type) throws -> Object { try given(self, Object.noun).object(type) }
}

/// A class of objects that C may own.
protocol CObject: AnyObject {
  /// Noun for messages, such as `a tree`.
  static var noun: String { get }
}

/// Returns the pointer that C passes.
///
/// - Throws: `ArgumentError` if C passes NULL.
func given<Pointer>(_ pointer: Pointer?, _ noun: String) throws -> Pointer {
  guard let pointer else { throw ArgumentError("expected \(noun), found NULL") }
  return pointer
}

/// Returns a string that C passes.
///
/// - Throws: `ArgumentError` if C passes NULL or a string that is not UTF-8.
func text(_ text: UnsafePointer<CChar>?, _ noun: String) throws -> String { try string(given(text, noun), noun)! }

/// Returns an array that C passes.
///
/// - Throws: `ArgumentError` if C passes NULL and the count is not 0, or if the array would not fit into memory.
func array<Entry>(_ start: UnsafePointer<Entry>?, _ count: Int, of noun: String) throws -> UnsafeBufferPointer<Entry> {
  guard fitsMemory(count, stride: MemoryLayout<Entry>.stride) else {
    throw ArgumentError("\(size(count)) \(noun) do not fit into memory")
  }
  guard count == 0 || start != nil else { throw ArgumentError("expected \(count) \(noun), found NULL") }
  return UnsafeBufferPointer(start: start, count: count)
}

/// Returns whether an array with `count` entries fits into memory. The stride is in bytes.
func fitsMemory(_ count: Int, stride: Int) -> Bool {
  let (length, overflows) = count.multipliedReportingOverflow(by: stride)
  // User-space addresses have 47 bits.
  return count >= 0 && !overflows && length.magnitude <= 1 << 47
}

/// Converts a count back to the unsigned `size_t` that C passed.
func size(_ count: Int) -> UInt { UInt(bitPattern: count) }

/// Memory at a fixed address, for pointers that C receives.
final class Block: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer

  /// - Parameter byteCount: Size in bytes. The pointer is valid even if the size is 0.
  init(byteCount: Int) { memory = .allocate(byteCount: max(byteCount, 8), alignment: 8) }

  convenience init<Entry: BitwiseCopyable>(_ entries: [Entry]) {
    self.init(byteCount: entries.count * MemoryLayout<Entry>.stride)
    entries.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count) }
  }

  /// Creates a zero-terminated string.
  convenience init(text: String) { self.init(Array(text.utf8CString)) }

  deinit { memory.deallocate() }

  /// Start of the memory. Valid as long as the block exists.
  var start: UnsafeRawPointer { UnsafeRawPointer(memory) }
  var text: UnsafePointer<CChar> { start.assumingMemoryBound(to: CChar.self) }

  /// Returns one of several arrays that follow each other in memory. Each array has `count` entries of 8 bytes.
  func array<Entry: BitwiseCopyable>(_ number: Int, of _: Entry.Type = Entry.self, count: Int)
    -> UnsafeMutablePointer<Entry>
  { (memory + 8 * count * number).assumingMemoryBound(to: Entry.self) }
}

/// Returns a string that C passes; nil if C passes NULL.
///
/// - Throws: `ArgumentError` if the string is not UTF-8.
func string(_ text: UnsafePointer<CChar>?, _ noun: String = "a string") throws -> String? {
  guard let text else { return nil }
  guard let string = String(validatingCString: text) else {
    throw ArgumentError("expected \(noun) in UTF-8, found other bytes in \(String(cString: text).debugDescription)")
  }
  return string
}
