import Foundation
import TreelineBuilder

/// What two paths have in common that lead to one file, by whatever links, be the file there or yet to be made.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// Of a file that is not there: its name in the folder that the numbers are of.
  private let missingName: String?

  /// - Parameter path: `-` is standard input, which may have been redirected.
  /// - Returns: nil where not even the folder is there.
  init?(path: String) {
    var status = stat()
    if (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 {
      missingName = nil
    } else {
      guard let target = FilePath.resolved(path).map(FilePath.init), stat(target.folder, &status) == 0 else {
        return nil
      }
      missingName = target.name
    }
    device = status.st_dev
    inode = status.st_ino
  }
}
