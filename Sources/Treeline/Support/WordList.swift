extension [String] {
  /// Joins the strings to a list for a sentence, such as `one, two or three`.
  package func listed(_ conjunction: String = "or") -> String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(conjunction) " + last!
  }

  /// Returns an addition to a message about a name that is not in this list. The addition contains up to 20 names from
  /// the start of the list, and the name that was probably meant. The addition is empty if the list is empty.
  package func alternatives(to name: String) -> String {
    if isEmpty { return "" }
    return "; the columns are " + prefix(20).map { "\"\($0.visible)\"" }.joined(separator: ", ")
      + (count > 20 ? " and \(count - 20) more" : "")
      + (contains { $0.contains("\u{FFFD}") }
        ? "; the text is not UTF-8: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"
        : nearest(to: name).map { "; did you mean \"\($0.visible)\"?" } ?? "")
  }

  /// Returns the string that was probably meant by a mistyped name; nil if no string is similar. Case is ignored.
  ///
  /// - Complexity: O(length²) for each string. Only the first 1,000 strings are compared.
  package func nearest(to name: String) -> String? {
    let name = Array<Character>(name.lowercased())
    // A name of one or two letters is often similar to a string by chance. So for such a name, only a string that
    // differs only in case counts as similar.
    let most = name.count < 3 ? 0 : Swift.min(Swift.max(name.count / 3, 1), 3)
    let near = prefix(1_000).map { ($0, $0.lowercased().editDistance(from: name, atMost: most)) }
    return near.filter { $0.1 <= most }.min { $0.1 < $1.1 }?.0
  }
}

extension String {
  /// Returns the restricted Damerau-Levenshtein distance of two texts: the least number of edits that turn one text
  /// into the other. An edit inserts, removes or replaces a character, or swaps two neighboring characters. If the
  /// distance is above `most`, returns any number above `most`.
  fileprivate func editDistance(from other: [Character], atMost most: Int) -> Int {
    let characters = Array(self)
    guard abs(characters.count - other.count) <= most else { return most + 1 }
    var (last, row) = ([Int](), Array(0...other.count))
    for (i, character) in characters.enumerated() {
      var next = [i + 1]
      for (j, wanted) in other.enumerated() {
        var cost = Swift.min(next[j], row[j + 1]) + 1
        cost = Swift.min(cost, row[j] + (character == wanted ? 0 : 1))
        if i > 0, j > 0, character == other[j - 1], characters[i - 1] == wanted {
          cost = Swift.min(cost, last[j - 1] + 1)
        }
        next.append(cost)
      }
      (last, row) = (row, next)
    }
    return row[other.count]
  }
}
