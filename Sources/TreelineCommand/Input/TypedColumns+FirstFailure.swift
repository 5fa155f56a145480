import TreelineFormats

extension TypedColumns {
  /// Returns the error about the first line with an invalid row number, group or column value. Returns nil if all
  /// values are valid, or if `failure` is not about data.
  ///
  /// - Parameters:
  ///   - failure: The failure that was found. An earlier line may also have an invalid value.
  ///   - points: The points to check.
  ///   - row: The column that `--row` names; nil if the option is not given.
  /// - Complexity: O(points · columns). Each value is read again.
  func firstFailure(
    instead failure: Failure, _ points: Range<Int>, of table: PointTable, in input: Input, row: RowColumn?,
    _ groups: GroupColumns
  ) -> Failure? {
    guard failure.code == Failure.badData("").code else { return nil }
    for point in points {
      do {
        if let row { _ = try row.row(ofPoint: point, of: table, in: input) }
        _ = try groups.group(ofPoint: point, of: table, in: input)
      } catch { return error as? Failure }
      if let error = error(ofPoint: point, in: table) {
        return input.refusal(of: error, line: table.line(ofPoint: point), areCells: table.cells != nil)
      }
    }
    return nil
  }
}
