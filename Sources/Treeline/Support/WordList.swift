extension [String] {
  /// Returns the strings as a list for texts: `one, two or three`.
  package func listed(_ conjunction: String = "or") -> String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(conjunction) " + last!
  }
}
