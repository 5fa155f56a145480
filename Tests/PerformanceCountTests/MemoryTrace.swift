import Foundation
import TestSupport

/// The output of a program, and its memory accesses in order. Valgrind's tool lackey reports the accesses.
struct MemoryTrace {
  struct Access {
    var address: UInt64
    var isWrite: Bool
  }

  private(set) var output = ""
  private(set) var accesses: [Access] = []

  /// - Parameter program: Name of the program. It is built next to the test bundle.
  init(of program: String, _ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let file = folder.path("trace")
    let process = Process()
    process.executableURL = Valgrind.executable!
    // A file, because valgrind writes every line on its own, and a pipe with so many small parts takes longer.
    process.arguments =
      [
        "--tool=lackey", "--trace-mem=yes", "--log-file=\(file)", Valgrind.built(program).path,
      ] + arguments
    // The program prints so little that its output fits in the pipe until it is read.
    let (printed, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (printed, errors)
    try process.run()
    process.waitUntilExit()
    output = String(decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    guard process.terminationStatus == 0 else {
      let messages = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      throw Valgrind.Failure(output: output + messages)
    }
    let trace = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
    accesses = trace.withUnsafeBytes { bytes in
      bytes.split(separator: UInt8(ascii: "\n")).lazy.filter { $0.first == UInt8(ascii: " ") }.compactMap(Access.init)
    }
  }
}

extension MemoryTrace.Access {
  /// Reads a line such as " L 04222c64,8", which means that an instruction loads eight bytes. Returns nil for lines of
  /// other kinds.
  init?(_ line: UnsafeRawBufferPointer.SubSequence) {
    let start = line.startIndex
    guard line.count > 4, line[start] == UInt8(ascii: " "), line[start + 2] == UInt8(ascii: " ") else { return nil }
    switch line[start + 1] {
    case UInt8(ascii: "L"): isWrite = false
    case UInt8(ascii: "S"), UInt8(ascii: "M"): isWrite = true
    default: return nil
    }
    address = line[(start + 3)...].prefix { $0 != UInt8(ascii: ",") }.reduce(0) { number, digit in
      // The lower bits of the digits count from 0, and the lower bits of the letters count from 1.
      number << 4 | UInt64(digit & 0xF + (digit >= UInt8(ascii: "a") ? 9 : 0))
    }
  }
}
