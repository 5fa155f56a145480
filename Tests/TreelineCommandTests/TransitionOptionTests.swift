import TestSupport
import Testing

/// Checks that the messages of `transition` name the option that was given, such as `--to-detail`, and not the option
/// that it replaces, such as `--detail`.
@Suite struct TransitionOptionTests {
  @Test(arguments: [
    (["--from-limit", "5", "--to-detail", "20"], "'--to-detail' is in pixels and needs '--to-zoom'"),
    (["--from-limit", "5", "--to-spacing", "20"], "'--to-spacing' is in pixels and needs '--to-zoom'"),
    (["--spacing", "20"], "'--spacing' is in pixels and needs '--from-zoom'"),
    (["--from-zoom", "3", "--from-spacing", "nan"], "'--from-spacing' must be a number of pixels"),
    (["--to-zoom", "3", "--to-detail", "-1"], "'--to-detail' must be a number of pixels"),
    (
      ["--from-detail", "5", "--from-zoom", "3", "--from-order", "widest-first"],
      "'--from-order' and '--from-detail' exclude each other"
    ), (["--from-bbox", "1,5,3,2"], "--from-bbox: expected the south edge"),
    (["--to-bbox", "1,5,3,2"], "--to-bbox: expected the south edge"),
    (
      ["--to-center", "2,95", "--to-zoom", "3", "--to-width", "9", "--to-height", "9"],
      "--to-center: expected a finite longitude and a latitude from -90 to 90"
    ), (["--detail", "9", "--from-zoom", "3", "--continuing"], "'--continuing' works only with a limit"),
    (["--min-points", "3"], "'--min-points' and '--alone-from-zoom' need '--detail' or '--spacing'"),
    (["--detail", "9", "--from-zoom", "3", "--to-limit", "0"], "'--to-limit' must be a whole number, 1 or more"),
  ]) func messagesNameTheOptionGiven(options: [String], message: String) throws {
    let result = try Tool.run(["transition", "Fixtures/airports.csv.gz"] + options)
    #expect(result.code == 64 && result.errors.contains(message), "\(result.errors)")
  }
}
