import ArgumentParser

/// Refuses what names neither a file nor standard input, as a variable of a script does that was never set.
func checkInputPath(_ path: String) throws {
  if path.isEmpty { throw ValidationError("'<points>' must name a file, found an empty name.") }
}

/// Refuses what names no file, before there is any work that would be in vain.
///
/// - Parameter option: As it is written, such as `--output`.
func checkOutputPath(_ path: String?, _ option: String) throws {
  if path == "" { throw ValidationError("'\(option)' must name a file, found an empty name.") }
  if path == "-" {
    throw ValidationError(
      "'\(option)' must name a file, found '-', which is none: './-' is a file of that name.")
  }
}
