import PointSets
import TestSupport
import Testing
import TreelineBuilder
import TreelineVerification

@_spi(Server) @testable import Treeline

/// Compares searches with a search that reads all texts.
@Suite struct SearchTests {
  private static let words = [
    "Paris", "PARIS", "paris 10e", "São", "Sa\u{303}o", "SÃO", "Tomé", "straße", "STRASSE", "Strasse", "ıspanak",
    "Ispanak", "İstanbul", "i̇stanbul", "Łódź", "lodz", "Ærø", "aero", "ﬁre", "fire", "東京", "東京都", "𠮷野", "서울", "서",
    "\u{1109}\u{1165}", "🍕", "🍕pizza", "👨‍👩‍👧", "🇫🇷", "Ｆｕｌｌ", "full", "e\u{301}\u{323}", "ẹ́", "d’Or", "d'or", "Saint-Denis",
    "saint denis", "\u{AD}soft", "a", "A", "ä", "", " ", "-", "\u{301}", "\u{FE0F}", "é", "क्षि", "กิน", "\u{0}\u{7}x",
    "1e", "No. 1", "x\u{200D}y",
    "ΣΊΣΥΦΟΣ", "σίσυφος", "\u{10FFFF}", "\u{F900}", "aaaaaaaaaaaa", "aaaaaaaaaaab", "aaaaaaaab",
  ]

  private static func folded(_ text: String) -> [UInt32] { FoldedText.characters(of: text) }

  /// Folded text from each word to the end.
  private static func tails(_ text: String) -> [[UInt32]] {
    let folded = folded(text)
    return folded.indices.filter { $0 == 0 || folded[$0 - 1] == 0x20 }.map { Array(folded[$0...]) }
  }

  /// Returns the tree indices that a search must find.
  private static func expected(_ searched: String, _ texts: [String?]) -> [Int] {
    let beginning = folded(searched)
    if beginning.isEmpty { return [] }
    let distinct = Set(texts.compactMap { $0.map { Array($0.utf8) } }).map { String(decoding: $0, as: UTF8.self) }
    // A section lists further words as long as there are at most eight places for each point.
    let counts = distinct.map { tails($0).count }
    let room = 8 * texts.count { $0 != nil } - counts.count { $0 > 0 }
    let limit = (0...255).last { limit in counts.reduce(0) { $0 + min(max($1 - 1, 0), limit) } <= room }!
    var found: [(isWord: Int, tail: [UInt32], text: [UInt8], number: Int)] = []
    for text in distinct {
      for (number, tail) in tails(text).prefix(limit + 1).enumerated() where tail.starts(with: beginning) {
        found.append((min(number, 1), tail, Array(text.utf8), number))
      }
    }
    found.sort { a, b in
      if a.isWord != b.isWord { return a.isWord < b.isWord }
      if a.tail != b.tail { return a.tail.lexicographicallyPrecedes(b.tail) }
      return a.text == b.text ? a.number < b.number : a.text.lexicographicallyPrecedes(b.text)
    }
    var known: Set<[UInt8]> = []
    return found.filter { known.insert($0.text).inserted }.flatMap { found in
      texts.indices.filter { texts[$0].map { Array($0.utf8) == found.text } ?? false }
    }
  }

  @Test func findsWhatAReadingOfAllTextsFinds() throws {
    for seed in Trials.seeds(60) {
      var random = SplitMix64(seed: 8_100 + seed)
      let count = [0, 1, 2, 30, 200][random.index(below: 5)]
      // With 40 words in a text, a section has no room for all words.
      let most = [1, 2, 3, 4, 40][random.index(below: 5)]
      let values: [String?] = (0..<count).map { _ in
        if random.index(below: 9) == 0 { return nil }
        return (0..<random.index(below: most + 1)).map { _ in Self.words[random.index(below: Self.words.count)] }
          .joined(separator: [" ", "-", "  ", ", "][random.index(below: 4)])
      }
      let kind: IndexColumn.Kind? = [.text, .category, nil][random.index(below: 3)]
      let column = IndexColumn(name: "name", kind: kind) { values[$0].map { .string($0) } }.prepared(for: .search)
      let tree = try PointSet.cities(count, clusters: 3, seed: seed).tree()
      let index = IndexBytes(try tree.indexBytes(columns: [column]))
      #expect(try index.problems() == [], "seed \(seed)")
      for tree in [try index.open(), try tree.adding(columns: [column])] {
        let texts = (0..<count).map { values[tree.row(atTreeIndex: $0)] }
        for _ in 0..<20 {
          let word = Self.words[random.index(below: Self.words.count)]
          let searched = String(word.unicodeScalars.prefix(1 + random.index(below: 12)))
          let expected = Self.expected(searched, texts)
          for limit in [1000, 3] {
            let hits = try tree.search(searched, limit: limit)
            #expect(
              hits.map(\.treeIndex) == Array(expected.prefix(limit)), "seed \(seed), \(searched.debugDescription)")
            #expect(hits.allSatisfy { Array($0.text.utf8) == texts[$0.treeIndex].map { Array($0.utf8) } })
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("straße", "STRASSE"), ("ıspanak", "İSPANAK"), ("Łódź", "lodz"), ("ÆRØ", "aero"), ("ﬁre", "FIRE"), ("Ｆｕｌｌ", "full"),
    ("e\u{301}\u{323}", "ẹ́"), ("서울", "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}"), ("\u{AD}so\u{AD}ft", "soft"),
    ("Saint-Denis", " saint   denis."), ("d’Or", "D'OR"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("x\u{FE0F}", "x"), ("Ø", "o"),
  ]) func foldsToTheSame(_ a: String, _ b: String) { #expect(Self.folded(a) == Self.folded(b)) }

  @Test func foldsToOthers() {
    #expect(Self.folded("a b") != Self.folded("ab"))
    #expect(Self.folded("🍕") != [] && Self.folded("🍕") != Self.folded("🍔"))
    #expect(Self.folded("कि") != Self.folded("क"))
    #expect(Self.folded("—…") == [] && Self.folded("\u{301}\u{200D}") == [])
  }

  /// Whatever bytes a damaged dictionary has, they are read as the standard library reads them.
  @Test func invalidBytesAreReplaced() {
    for bytes: [UInt8] in [[0x61, 0xFF, 0x62], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
      bytes.withUnsafeBytes { bytes in
        var (text, characters) = (FoldedText(bytes), [UInt32]())
        while let next = text.next() { characters.append(next) }
        #expect(characters.contains(0xFFFD))
      }
    }
  }

  @Test func refusesColumnsThatCannotBeSearched() throws {
    let tree = try PointSet.cities(20, clusters: 2, seed: 5).tree()
    #expect(throws: SearchError.noSearch) { try tree.search("a") }
    let named = try tree.adding(columns: [
      IndexColumn(name: "kind", kind: .category) { _ in .string("a") },
      IndexColumn(name: "name") { .number("\($0)") }.prepared(for: .search),
    ])
    #expect(throws: SearchError.notPrepared(column: "kind", known: ["name"])) { try named.search("a", in: "kind") }
    #expect(throws: SearchError.unknownColumn(name: "x", known: ["kind", "name"])) { try named.search("a", in: "x") }
    // The kind of the column was not declared, so its numbers are texts.
    #expect(try named.search("19").map(\.text) == ["19"])
    #expect(throws: ColumnError.notSearchable(name: "price", kind: .number)) {
      try tree.adding(columns: [IndexColumn(name: "price", kind: .number) { .number("\($0)") }.prepared(for: .search)])
    }
  }

  @Test func findsEveryWordOfNames() throws {
    let names = ["Hotel du Lac", "Grand Hotel de Paris", "Hotel Restaurant Zum Löwen 7", "Le Lac"]
    let column = IndexColumn(name: "name", kind: .text) { .string(names[$0]) }.prepared(for: .search)
    let tree = try PointSet.cities(4, clusters: 1, seed: 5).tree().adding(columns: [column])
    #expect(try tree.search("lac").map(\.text) == ["Hotel du Lac", "Le Lac"])
    #expect(try tree.search("paris").map(\.text) == ["Grand Hotel de Paris"])
    #expect(try tree.search("zum lowen").map(\.text) == ["Hotel Restaurant Zum Löwen 7"])
  }

  @Test func aSectionTakesAtMost36BytesAPoint() throws {
    let tree = try PointSet.cities(500, clusters: 3, seed: 6).tree()
    for wordCount in [0, 1, 2, 3, 300] {
      let column = IndexColumn(name: "name", kind: .text) { row in
        .string((0..<wordCount).map { "w\(row * 31 % 500)\($0)" }.joined(separator: " "))
      }
      let editor = try IndexEditor(tree.indexBytes(columns: [column.prepared(for: .search)]))
      let section = try #require(editor.header.sections.first { $0.kind == .search })
      #expect(section.length <= UInt64(ColumnSearch.Offset.lists + 36 * tree.pointCount))
      #expect(editor.header.minorVersion == 5)
    }
  }
}
