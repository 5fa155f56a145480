import Foundation

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
    let process = Process()
    process.executableURL = Valgrind.executable!
    process.arguments = ["--tool=lackey", "--trace-mem=yes", Valgrind.built(program).path] + arguments
    // The program prints so little that its output fits in the pipe until it is read.
    let (printed, trace) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (printed, trace)
    try process.run()
    var (line, messages): ([UInt8], [UInt8]) = ([], [])
    while let bytes = try trace.fileHandleForReading.read(upToCount: 1 << 20), !bytes.isEmpty {
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          if let access = Access(line) {
            accesses.append(access)
          } else if line.first != UInt8(ascii: "I") {
            messages += line + [byte]
          }
          line.removeAll(keepingCapacity: true)
        } else {
          line.append(byte)
        }
      }
    }
    output = String(decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Valgrind.Failure(output: output + String(decoding: messages, as: UTF8.self))
    }
  }
}

extension MemoryTrace.Access {
  /// Reads a line such as " L 04222c64,8", which means that an instruction loads eight bytes. Returns nil for lines of
  /// other kinds.
  init?(_ line: [UInt8]) {
    guard line.count > 4, line[0] == UInt8(ascii: " "), line[2] == UInt8(ascii: " ") else { return nil }
    switch line[1] {
    case UInt8(ascii: "L"): isWrite = false
    case UInt8(ascii: "S"), UInt8(ascii: "M"): isWrite = true
    default: return nil
    }
    address = line[3...].prefix { $0 != UInt8(ascii: ",") }.reduce(0) { number, digit in
      // The lower bits of the digits count from 0, and the lower bits of the letters count from 1.
      number << 4 | UInt64(digit & 0xF + (digit >= UInt8(ascii: "a") ? 9 : 0))
    }
  }
}
