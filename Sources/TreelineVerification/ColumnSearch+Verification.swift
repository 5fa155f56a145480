import Treeline

extension ColumnSearch {
  /// Checks the list of points in the section. Each point that has a value must be listed exactly once, and no other
  /// point may be listed. The value of a point is an entry of the dictionary. Points must be sorted by their entries,
  /// and points with the same entry must be in tree order.
  func check(_ keys: OrderedKeys, pointCount: Int, _ label: String, _ problems: ProblemList, _ pages: PageUse) {
    var presentCount = 0
    (0..<pointCount).forEachBlock(noting: pages, bytesPerElement: 8) { block in
      for index in block where keys[index] != OrderedKeys.missing { presentCount += 1 }
    }
    problems.check(
      points.count == presentCount, label, expected: "\(presentCount) points with a value", found: "\(points.count)")
    var (last, isWrong) = ((key: UInt64(0), index: -1), false)
    (0..<points.count).forEachBlock(noting: pages, bytesPerElement: 4) { block in
      for place in block where !isWrong {
        let index = Int(points[place])
        let key = index < pointCount ? keys[index] : OrderedKeys.missing
        pages.note(byteCount: 1 << 7)
        isWrong = key == OrderedKeys.missing || key < last.key || key == last.key && index <= last.index
        if isWrong {
          problems.add(
            "\(label), point \(place)", expected: "points with a value, in the order of their values",
            found: "point \(index)")
        }
        last = (key, index)
      }
    }
  }

  /// Checks two lists: `beginnings` with the first word of each text, and `words` with further words. A word is listed
  /// as the place at which it begins. Each list must have as many words as a builder would list. Words are sorted by
  /// the folded text from the beginning of the word to the end of the dictionary entry.
  func check(_ dictionary: ColumnDictionary, _ label: String, _ problems: ProblemList, _ pages: PageUse) {
    let width = Self.width(ofText: dictionary.textByteCount)
    problems.check(
      width == beginnings.width, label, expected: "places of \(width) bytes", found: "\(beginnings.width) bytes")
    var counts = [Int](repeating: 0, count: Self.mostWords + 1)
    for entry in 0..<dictionary.entryCount {
      guard let text = dictionary.searchedText(ofEntry: entry) else { continue }
      pages.note(byteCount: 8 + text.count)
      for number in Self.wordPlaces(in: text, limit: counts.count).indices { counts[number] += 1 }
    }
    problems.check(
      beginnings.count == counts[0], label, expected: "\(counts[0]) texts with a word", found: "\(beginnings.count)")
    let limit = Self.wordLimit(counts: counts, pointCount: points.count)
    let wordCount = counts[1..<limit + 1].reduce(0, +)
    problems.check(words.count == wordCount, label, expected: "\(wordCount) further words", found: "\(words.count)")
    check(beginnings, numbers: 0..<1, in: dictionary, "\(label), text", problems, pages)
    check(words, numbers: 1..<limit + 1, in: dictionary, "\(label), word", problems, pages)
  }

  /// Checks that a word begins at each of the listed places. The places must be sorted by the folded texts that begin
  /// at these places, and each place must be listed once.
  ///
  /// - Parameter numbers: Says which words of each text may be listed. The first word of a text has the number 0.
  private func check(
    _ places: PackedIntegers, numbers: Range<Int>, in dictionary: ColumnDictionary, _ label: String,
    _ problems: ProblemList, _ pages: PageUse
  ) {
    var last: (place: UInt64, text: UnsafeRawBufferPointer)?
    for number in 0..<places.count {
      let place = places[number]
      guard let (entry, text) = dictionary.text(from: place), let whole = dictionary.searchedText(ofEntry: entry),
        Self.wordPlaces(in: whole, limit: numbers.upperBound).dropFirst(numbers.lowerBound).contains(
          Int(place - dictionary.textPlace(ofEntry: entry))),
        last.map({ Self.comes($0.text, $0.place, before: text, place) }) ?? true
      else {
        problems.add(
          "\(label) \(number)",
          expected: "places where words begin, in the order of the folded texts",
          found: "\(place)")
        return
      }
      pages.note(byteCount: 1 << 7 + whole.count)
      last = (place, text)
    }
  }

  /// Returns the offsets of the first words of a text, but at most `limit` offsets.
  private static func wordPlaces(in text: UnsafeRawBufferPointer, limit: Int) -> [Int] {
    var (folded, places) = (FoldedText(text), [Int]())
    while places.count < limit, folded.next() != nil { if folded.beginsWord { places.append(folded.offset) } }
    return places
  }

  private static func comes(
    _ text: UnsafeRawBufferPointer, _ place: UInt64, before next: UnsafeRawBufferPointer, _ nextPlace: UInt64
  ) -> Bool {
    var (folded, following) = (FoldedText(text), FoldedText(next))
    while true {
      switch (folded.next(), following.next()) {
      case (nil, nil): return place < nextPlace
      case (nil, _): return true
      case (_, nil): return false
      case (let a?, let b?): if a != b { return a < b }
      }
    }
  }
}
