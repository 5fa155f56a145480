import Foundation
import TreelineComparison

/// A program that clusters by k-means, such as `scripts/measure/kmeans`. The program is run for each set of positions.
///
/// The program reads a line with the number of clusters and the number of positions. Then it reads a line `x y`, in
/// pixels, for each position. It prints a line for each position: the number of the position's cluster, from 0.
struct KMeansProgram {
  let path: String

  func labels(of positions: [PixelPoint], count: Int) throws -> [Int] {
    var request = "\(count) \(positions.count)\n"
    for position in positions { request += "\(position.x) \(position.y)\n" }
    let labels = try run(Data(request.utf8)).split(separator: UInt8(ascii: "\n")).map {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard labels.count == positions.count, labels.allSatisfy({ $0.map { 0..<count ~= $0 } ?? false }) else {
      throw failure(
        "printed \(labels.count) lines", remedy: "see scripts/measure/kmeans for the expected input and output")
    }
    return labels.map { $0! }
  }

  private func run(_ request: Data) throws -> Data {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { throw failure("could not be run", remedy: "give the path of a program") }
    // Another thread writes the input, while this thread reads the output. A pipe holds only a few bytes. So if the
    // program prints before it has read all its input, the program waits until its output is read. If this thread
    // wrote the input, the two programs could wait for each other forever.
    let pipe = input.fileHandleForWriting
    Thread.detachNewThread { Self.write(request, to: pipe) }
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw failure("ended with code \(process.terminationStatus)", remedy: "the message of the program is above")
    }
    return answer
  }

  /// Writes a request and closes the pipe. If the program ends without reading its input, the tool would get SIGPIPE
  /// and end, too. So SIGPIPE is blocked in this thread. The exit code of the program reports the failure.
  private static func write(_ request: Data, to pipe: FileHandle) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try? pipe.write(contentsOf: request)
    try? pipe.close()
  }

  private func failure(_ found: String, remedy: String) -> Failure {
    .usage("--kmeans: expected \(path) to print a cluster number for each position, but it \(found); \(remedy)")
  }
}
