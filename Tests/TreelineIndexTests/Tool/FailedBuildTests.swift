import Foundation
import TestSupport
import Testing
import Treeline
import TreelineBuilder

/// Lets system calls of a build fail. The build must report the reason, and leave all files as they were.
@Suite struct FailedBuildTests {
  private static let input = Repository.path("Fixtures/cities.csv.gz")

  /// Whether this machine can mount a file system for a single process.
  private static let canMount = (try? Tool.runShell("unshare -m sh -c 'mount -t tmpfs none /mnt'").code) == 0

  @Test(.enabled(if: canMount, "needs the right to mount")) func fullDisk() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      """
      unshare -m bash -c 'mount -t tmpfs -o size=128k none "$1" && printf old > "$1/other" && \
      "$TREELINE" build "$2" -o "$1/index"; echo $?; ls -A "$1"' bash "$1" "$2"
      """, ["bash", folder.url.path, Self.input])
    #expect(result.output == "74\nother\n")
    #expect(result.errors.contains("could not write it: No space left on device; the file was not changed"))
  }

  @Test(.enabled(if: canMount, "needs the right to mount")) func fullDiskKeepsTheOldIndex() throws {
    let folder = try TemporaryFolder()
    let old = try folder.write(try TestIndex.tiny.bytes(), to: "old")
    let disk = folder.path("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let result = try Tool.runShell(
      """
      unshare -m bash -c 'mount -t tmpfs -o size=128k none "$1" && cp "$3" "$1/index" && \
      "$TREELINE" build "$2" -o "$1/index"; echo $?; ls -A "$1"; cmp "$3" "$1/index"' bash "$1" "$2" "$3"
      """, ["bash", disk, Self.input, old])
    #expect(result.output == "74\nindex\n")
  }

  @Test func fileSizeLimit() throws {
    let folder = try TemporaryFolder()
    let old = try TestIndex.tiny.bytes()
    let path = try folder.write(old, to: "index")
    let result = try Tool.runShell(
      "ulimit -f 64; \"$TREELINE\" build \"$1\" -o \"$2\"", ["bash", Self.input, path])
    #expect(result.code == 74)
    #expect(result.errors.contains("File too large; the file was not changed"))
    #expect(try folder.contents() == ["index"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(old))
  }

  @Test(arguments: ["pmtiles", "mbtiles"]) func fileSizeLimitOfTiles(_ format: String) throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      "ulimit -f 64; \"$TREELINE\" tiles \"$1\" -o \"$2\"", ["bash", Self.input, folder.path("map.\(format)")])
    #expect(result.code == 74, "\(result.errors)")
    #expect(try folder.contents() == [])
  }

  @Test(.enabled(if: canMount, "needs the right to mount")) func readOnlyFolder() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      """
      unshare -m bash -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && \
      "$TREELINE" build "$2" -o "$1/index"' bash "$1" "$2"
      """, ["bash", folder.url.path, Self.input])
    #expect(result.code == 74)
    #expect(result.errors.contains("(Read-only file system); choose another folder"), "\(result.errors)")
    #expect(try folder.contents() == [])
  }

  @Test func foldersThatCannotBeWrittenTo() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([1], to: "file")
    for (path, reason) in [
      (folder.path("missing/index"), "missing', found none; make this folder"),
      (folder.path("file/index"), "file', found a file"),
      ("/proc/treeline", "could not"), (folder.path(String(repeating: "x", count: 300)), "File name too long"),
    ] {
      let result = try Tool.run("build", Self.input, "-o", path)
      #expect(result.code == 74, "\(path)")
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
    #expect(try folder.contents() == ["file"])
  }

  #if os(Linux)
    @Test func fileSystemWithoutLocksIsRefused() throws {
      let folder = try TemporaryFolder()
      let result = try build(folder, failing: "flock")
      #expect(result.code == 74)
      #expect(
        result.errors.contains(
          "could not lock \(folder.path(".index.partial")): No locks available; the file was not changed"),
        "\(result.errors)")
      #expect(try folder.contents() == [])
    }

    /// Only its owner may read the old file. It must not be replaced by a file that other users may read.
    @Test func permissionsThatCannotBeKept() throws {
      let folder = try TemporaryFolder()
      let old = try TestIndex.tiny.bytes()
      let path = try folder.write(old, to: "index")
      #expect(chmod(path, 0o600) == 0)
      let result = try build(folder, failing: "fchmod")
      #expect(result.code == 74)
      #expect(
        result.errors.contains("could not set its permissions: Operation not permitted; the file was not changed"),
        "\(result.errors)")
      #expect(try folder.contents() == ["index"])
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(old))
    }

    /// Some file systems give all files the same permissions, and refuse to set any. A build must succeed there.
    @Test func permissionsThatNeedNotBeSet() throws {
      let folder = try TemporaryFolder()
      for _ in 1...2 {
        #expect(try build(folder, failing: "fchmod").code == 0)
        #expect(try folder.contents() == ["index"])
      }
    }

    @Test func folderThatIsNotBroughtToTheDisk() throws {
      let folder = try TemporaryFolder()
      let result = try build(folder, failing: "fsync")
      #expect(result.code == 74)
      #expect(result.errors.contains("flushed to the disk: Input/output error; a power cut may"), "\(result.errors)")
      #expect(try folder.contents() == ["index"])
      #expect(try ClusterTree(contentsOfFile: folder.path("index")).pointCount == 5)
    }

    /// Builds an index while the system call `call` fails. The call `fsync` fails only for folders.
    private func build(_ folder: TemporaryFolder, failing call: String) throws -> Tool.Result {
      let library = try TemporaryFolder()
      let source = try library.write(Array(Self.failingCalls.utf8), to: "failing.c")
      return try Tool.runShell(
        """
        clang -shared -fPIC -DFAIL_$1 -o "$2.so" "$2" && LD_PRELOAD="$2.so" "$TREELINE" build "$3" -o "$4"
        """, ["bash", call, source, Repository.path("Fixtures/formats/plain.csv"), folder.path("index")])
    }

    private static let failingCalls = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <unistd.h>

      #ifdef FAIL_flock
      int flock(int file, int operation) { errno = ENOLCK; return -1; }
      #endif
      #ifdef FAIL_fchmod
      int fchmod(int file, mode_t mode) { errno = EPERM; return -1; }
      #endif
      #ifdef FAIL_fsync
      int fsync(int file) {
        struct stat status;
        if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) { errno = EIO; return -1; }
        return syscall(SYS_fsync, file);
      }
      #endif
      """
  #endif
}
