import Foundation
import TestSupport
import Testing
import Treeline

#if os(Linux)
  /// Kills a build in pieces at any step. The next run must remove the remaining files, or continue from them.
  @Suite struct KilledBuildInPiecesTests {
    private static let input = Repository.path("Fixtures/cities.csv.gz")

    /// Source of a library that counts the calls of functions that change the disk, and kills the process at a given
    /// call.
    private static let library = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <signal.h>
      #include <stdlib.h>
      #include <unistd.h>
      #include <sys/types.h>

      static void step(const char *name) {
        static int count;
        const char *wanted = getenv("KILL_AT");
        if (!wanted || ++count != atoi(wanted)) return;
        // A thread pool may block signals in its threads, so the signal is unblocked here.
        int number = atoi(getenv("KILL_BY"));
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, number);
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
        raise(number);
      }
      ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
        step("pwrite");
        return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, bytes, count, offset);
      }
      ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
        step("pwrite");
        ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
        return next(file, bytes, count, offset);
      }
      int rename(const char *from, const char *to) {
        step("rename");
        return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
      }
      """

    /// Steps at which the build is killed: all early steps, and fewer and fewer of the later steps.
    private static let steps = Trials.some(
      of: Array(1...12) + [15, 20, 30, 45, 70, 100, 150, 220, 330, 500, 750, 1100, 1700], atLeast: 5)

    @Test(arguments: [
      (["--split", "mean"], "60kB", ["--columns", "country,population+percentiles", "--attributes", "name"]),
      (["--split", "least-scatter"], "60kB", []), (["--split", "mean"], "60kB", ["--group-by", "country"]),
      (["--for", "badges"], "1MB", ["--columns", "country"]),
    ])
    func killedAndResumed(_ growth: [String], _ memory: String, _ columns: [String]) throws {
      let folder = try TemporaryFolder()
      let tools = try Preloaded()
      let expected = folder.path("expected")
      #expect(try Tool.run(["build", Self.input, "-o", expected] + growth + columns).code == 0)
      var (killed, resumed) = (0, 0)
      for step in Self.steps {
        let path = folder.path("index")
        let arguments = ["build", Self.input, "-o", path, "--memory", memory, "--resume"] + growth + columns
        let first = try tools.run(arguments, killedAt: step, by: SIGKILL)
        if first.code == 0 { continue }
        killed += 1
        #expect(!FileManager.default.fileExists(atPath: path))
        let second = try Tool.run(arguments)
        #expect(second.code == 0, "\(second.errors)")
        if second.errors.contains("continuing the earlier build") { resumed += 1 }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contentsOf: URL(fileURLWithPath: expected)))
        #expect(try folder.contents() == ["expected", "index"], "step \(step)")
        try FileManager.default.removeItem(atPath: path)
      }
      let least = Trials.chosen == .fast ? (killed: 3, resumed: 1) : (killed: 13, resumed: 6)
      #expect(
        killed >= least.killed && resumed >= least.resumed && resumed < killed, "\(killed) killed, \(resumed) resumed")
    }

    /// Checks builds without `--resume`. If the process handles the signal, it leaves no files. Otherwise the next run
    /// removes the remaining files.
    @Test(arguments: [SIGTERM, SIGKILL]) func killedWithoutLitter(_ signal: Int32) throws {
      let folder = try TemporaryFolder()
      let tools = try Preloaded()
      let arguments = ["build", Self.input, "-o", folder.path("index"), "--memory", "60kB"]
      for step in [3, 30, 200] {
        #expect(try tools.run(arguments, killedAt: step, by: signal).code == signal)
        if signal != SIGKILL { #expect(try folder.contents() == []) }
      }
      // The next run removes the scratch folder, even if that run has enough memory to build without pieces.
      #expect(try Tool.run(["build", Self.input, "-o", folder.path("index")]).code == 0)
      #expect(try folder.contents() == ["index"])
    }

    /// A killed build leaves a scratch folder without all points, and the next run has enough memory. Checks that this
    /// run removes the folder, although it could continue a build.
    @Test func resumedWithEnoughMemory() throws {
      let folder = try TemporaryFolder()
      let arguments = ["build", Self.input, "-o", folder.path("index"), "--columns", "name", "--resume"]
      #expect(try Preloaded().run(arguments + ["--memory", "60kB"], killedAt: 12, by: SIGKILL).code == SIGKILL)
      #expect(try folder.contents() != [])
      let result = try Tool.run(arguments)
      #expect(result.code == 0 && !result.errors.contains("scratch"), "\(result.errors)")
      #expect(try folder.contents() == ["index"])
    }

    /// Checks that the work of a build with another input or another rule is discarded, however much of it was done.
    @Test(arguments: ["lon,lat", "x,y"]) func otherInputIsReadAnew(_ header: String) throws {
      let folder = try TemporaryFolder()
      let tools = try Preloaded()
      let input = folder.path("input")
      func arguments(_ rule: String, _ memory: String...) -> [String] {
        ["build", input, "-o", folder.path("index"), "--split", rule] + memory
      }
      func resume(_ rule: String) throws {
        let result = try Tool.run(arguments(rule, "--memory", "60kB", "--resume"))
        #expect(!result.errors.contains("continuing"), "\(result.errors)")
        let found = try Data(contentsOf: URL(fileURLWithPath: folder.path("index")))
        #expect(try Tool.run(arguments(rule)).code == 0)
        #expect(try found == Data(contentsOf: URL(fileURLWithPath: folder.path("index"))))
      }
      func write(_ factor: Double) throws {
        let rows = (0..<4000).map { "\($0 % 359 - 179),\(Double($0) / factor - 20)" }
        _ = try folder.write(header + "\n" + rows.joined(separator: "\n"), to: "input")
      }
      for step in Trials.some(of: [60, 8, 12, 20]) {
        try write(100)
        let killed = arguments("mean", "--memory", "60kB", "--resume")
        #expect(try tools.run(killed, killedAt: step, by: SIGKILL).code == SIGKILL)
        try resume("least-scatter")
        #expect(try tools.run(killed, killedAt: step, by: SIGKILL).code == SIGKILL)
        try write(90)
        try resume("mean")
      }
      #expect(try folder.contents() == ["index", "input"])
    }

    /// Checks that a resumed build is refused for the same reasons as a new build.
    @Test func unitOfDegreesIsRefused() throws {
      let folder = try TemporaryFolder()
      let arguments = [
        "build", Self.input, "-o", folder.path("index"), "--memory", "60kB", "--resume",
      ]
      #expect(try Preloaded().run(arguments, killedAt: 1000, by: SIGKILL).code == SIGKILL)
      let refused = try Tool.run(arguments + ["--unit", "m"])
      #expect(refused.code == 64 && refused.errors.contains("continuing the earlier build"), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("index")))
      #expect(try Tool.run(arguments).errors.contains("continuing the earlier build"))
      #expect(try folder.contents() == ["index"])
    }

    /// The tool with a preloaded library that kills it.
    private struct Preloaded {
      let folder = try! TemporaryFolder()

      init() throws {
        let source = try folder.write(Array(KilledBuildInPiecesTests.library.utf8), to: "kill.c")
        let result = try Tool.runShell(
          "clang -shared -fPIC -o \"$1\" \"$2\" -ldl", ["bash", folder.path("kill.so"), source])
        #expect(result.code == 0, "\(result.errors)")
      }

      func run(_ arguments: [String], killedAt step: Int, by signal: Int32) throws -> Tool.Result {
        try Tool.run(
          URL(fileURLWithPath: "/usr/bin/env"),
          ["LD_PRELOAD=\(folder.path("kill.so"))", "KILL_AT=\(step)", "KILL_BY=\(signal)", Tool.executable.path]
            + arguments)
      }
    }
  }
#endif
