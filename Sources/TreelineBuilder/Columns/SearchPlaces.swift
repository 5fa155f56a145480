import Treeline

/// The places at which words begin in a dictionary. A place is the offset of a byte in the entries of the dictionary.
/// `beginnings` has the place of the first word of each text, and `words` has the places of later words. Both lists
/// are sorted by the folded text that begins at each place. Folding removes case and accents from a text. A section of
/// kind `search` has both lists, and then a list of points.
struct SearchPlaces {
  let beginnings: [UInt64]
  let words: [UInt64]
  private let textByteCount: Int

  /// The words that are listed in a section.
  struct Words {
    fileprivate let dictionary: ColumnDictionary
    /// At index i, the number of texts with more than i words. See `ColumnSearch.wordLimit`.
    private(set) var counts = [Int](repeating: 0, count: ColumnSearch.mostWords + 1)
    /// Greatest number of words that are listed for one text, in addition to the text's first word.
    private(set) var limit = 0
    private let monitor: BuildMonitor

    /// - Parameters:
    ///   - pointCount: Number of points that have a value.
    ///   - monitor: If the build is cancelled, the result is unusable.
    init(of dictionary: ColumnDictionary, pointCount: Int, _ monitor: BuildMonitor) {
      (self.dictionary, self.monitor) = (dictionary, monitor)
      forEachText { entry, text in
        var wordCount = 0
        while text.next() != nil { if text.beginsWord { wordCount += 1 } }
        for number in 0..<min(wordCount, counts.count) { counts[number] += 1 }
      }
      limit = ColumnSearch.wordLimit(counts: counts, pointCount: pointCount)
    }

    /// Memory for making the lists of a section, in bytes.
    var memory: Int { dictionary.textByteCount + 32 * counts[...limit].reduce(0, +) }

    fileprivate func forEachText(_ body: (_ entry: Int, _ text: inout FoldedText) -> Void) {
      monitor.valuePass(over: 0..<dictionary.entryCount) { block in
        for entry in block {
          guard let bytes = dictionary.searchedText(ofEntry: entry) else { continue }
          var text = FoldedText(bytes)
          body(entry, &text)
        }
      }
    }
  }

  /// - Parameter monitor: If the build is cancelled, the lists are unusable.
  /// - Complexity: O(n log n) for n bytes of text
  init(of listed: Words, _ monitor: BuildMonitor) {
    let dictionary = listed.dictionary
    var (folded, beginnings, words) = ([UInt8](), [Place](), [Place]())
    listed.forEachText { entry, text in
      let start = dictionary.textPlace(ofEntry: entry)
      var wordCount = 0
      while let character = text.next() {
        if text.beginsWord {
          let place = Place(place: start + UInt64(text.offset), folded: UInt64(folded.count))
          if wordCount == 0 { beginnings.append(place) } else if wordCount <= listed.limit { words.append(place) }
          wordCount += 1
        }
        folded.append(utf8Of: character)
      }
      // No byte of a folded text is 0, so a byte with the value 0 can mark the end of each text.
      folded.append(0)
    }
    self.beginnings = folded.sorted(beginnings, monitor)
    beginnings = []
    self.words = folded.sorted(words, monitor)
    textByteCount = dictionary.textByteCount
  }

  /// A place in the dictionary, and the place of the same word in the folded texts.
  fileprivate struct Place {
    let place: UInt64
    let folded: UInt64
  }

  /// Width of a place, in bytes.
  private var width: Int { ColumnSearch.width(ofText: textByteCount) }

  /// Returns the length of the section, in bytes.
  func sectionLength(pointCount: Int) -> Int {
    ColumnSearch.byteCount(places: beginnings.count + words.count, width: width, points: pointCount)
  }

  /// Returns the part of the section before its list of points.
  ///
  /// - Parameters:
  ///   - number: Number of the column among the typed columns.
  ///   - pointCount: Number of points that have a value.
  func head(ofColumn number: Int, pointCount: Int) -> [UInt8] {
    var head: [UInt8] = []
    head.reserveCapacity(sectionLength(pointCount: 0))
    for value in [number, Int(TextFold.version), pointCount, width, beginnings.count, words.count] {
      head.appendLittleEndian(UInt32(value))
    }
    for place in [beginnings, words].joined() {
      if width == 4 { head.appendLittleEndian(UInt32(place)) } else { head.appendLittleEndian(place) }
    }
    return head
  }
}

extension [UInt8] {
  fileprivate mutating func append(utf8Of character: UInt32) {
    if character < 0x80 {
      append(UInt8(character))
    } else {
      append(contentsOf: UTF8.encode(Unicode.Scalar(character) ?? "\u{FFFD}")!)
    }
  }

  /// Sorts places by the folded text that begins at each place. This collection contains the bytes of the folded texts,
  /// and a 0 after each text.
  ///
  /// - Parameter places: In ascending order.
  fileprivate func sorted(_ places: [SearchPlaces.Place], _ monitor: BuildMonitor) -> [UInt64] {
    withUnsafeBytes { texts in
      let keys = places.map { texts.key(at: Int($0.folded)) }
      var order = RankedPoints.sorted(keys, monitor)
      var start = 0
      while start < order.count && !monitor.isCancelled {
        let key = keys[Int(order[start])]
        var end = start + 1
        while end < order.count && keys[Int(order[end])] == key { end += 1 }
        // All places from `start` to `end` have the same key, which is the first 8 bytes of the folded text. If the
        // last of these bytes is 0, the key contains the whole text. So the texts are equal, and their places are in
        // order already.
        if end - start > 1 && key & 0xFF != 0 {
          var run = [UInt32](order[start..<end])
          run.sort(monitor) { texts.comes(places[Int($0)], before: places[Int($1)]) }
          order.replaceSubrange(start..<end, with: run)
        }
        start = end
      }
      return order.map { places[Int($0)].place }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the first 8 bytes of a text as a number that sorts like the text. If the text has fewer than 8 bytes, the
  /// missing bytes are 0.
  fileprivate func key(at start: Int) -> UInt64 {
    var key: UInt64 = 0
    for index in start..<start + 8 {
      if self[index] == 0 { return key << UInt64(8 * (start + 8 - index)) }
      key = key << 8 | UInt64(self[index])
    }
    return key
  }

  /// Returns whether the text at `a` sorts before the text at `b`. The first 8 bytes of both texts are equal. If the
  /// whole texts are equal, their places in the dictionary are compared.
  fileprivate func comes(_ a: SearchPlaces.Place, before b: SearchPlaces.Place) -> Bool {
    var (at, bt) = (Int(a.folded) + 8, Int(b.folded) + 8)
    while self[at] == self[bt] {
      if self[at] == 0 { return a.place < b.place }
      at += 1
      bt += 1
    }
    return self[at] < self[bt]
  }
}
