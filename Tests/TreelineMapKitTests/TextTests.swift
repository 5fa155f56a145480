#if os(Linux) && canImport(MapKit)
  import Foundation
  @_spi(Server) import Treeline
  import TreelineBuilder
  import TreelineMap
  import TreelineMapKit
  import XCTest

  /// Checks the texts on badges in several languages.
  final class TextTests: XCTestCase {
    private static let tree = try! ClusterTree(
      (0..<1234).map { Coordinate(longitude: Double($0) / 100, latitude: 50) })

    private func texts(_ locale: String) -> BadgeTexts {
      var texts = BadgeTexts { ("Hotel \($0)", nil) }
      texts.locale = Locale(identifier: locale)
      return texts
    }

    func testNumbersAreWrittenAsInTheLocale() throws {
      let root = try XCTUnwrap(Self.tree.root)
      for (locale, title, number, subtitle) in [
        ("en_US", "1,234", "1.2k", "Hotel 0, Hotel 1, Hotel 2, +1,231"),
        ("de_DE", "1.234", "1,2k", "Hotel 0, Hotel 1 und Hotel 2, +1.231"),
      ] {
        XCTAssertEqual(texts(locale).title(of: root), title)
        XCTAssertEqual(texts(locale).number(of: root), number)
        XCTAssertEqual(texts(locale).subtitle(of: root, in: Self.tree), subtitle)
      }
      // In Arabic, the digits and the list are Arabic.
      let arabic = try XCTUnwrap(texts("ar_EG").title(of: root))
      XCTAssertEqual(arabic, 1234.formatted(.number.locale(Locale(identifier: "ar_EG"))))
      XCTAssertNotEqual(arabic, "1,234")
    }

    func testTitlesComeFromAClosure() throws {
      let root = try XCTUnwrap(Self.tree.root)
      let two = try XCTUnwrap(
        Self.tree.clusters(.limit(1000), in: Viewport(.world)).first { $0.pointCount == 2 })
      var texts = texts("pl_PL")
      texts.clusterTitle = { cluster, _ in cluster.pointCount == 2 ? "2 hotele" : "\(cluster.pointCount) hotele" }
      texts.moreMembers = { "i \($0) innych" }
      XCTAssertEqual(texts.title(of: two), "2 hotele")
      XCTAssertEqual(texts.title(of: root), "1234 hotele")
      XCTAssertTrue(try XCTUnwrap(texts.subtitle(of: root, in: Self.tree)).hasSuffix("i 1231 innych"))
      texts.clusterTitle = { _, _ in nil }
      XCTAssertNil(texts.title(of: root))
      XCTAssertEqual(texts.accessibilityLabel(of: two, in: Self.tree), texts.subtitle(of: two, in: Self.tree))
      (texts.clusterHint, texts.stackHint) = (nil, "Pokazuje wszystkie")
      XCTAssertNil(texts.accessibilityHint(of: root))
    }

    func testTheTitleOfAClusterCanBeTheNameOfOneOfItsPoints() throws {
      let root = try XCTUnwrap(Self.tree.root)
      var texts = texts("en_US")
      texts.aggregates = [.first("name")]
      texts.clusterTitle = { cluster, values in "\(values[0]) and \(cluster.pointCount - 1) more" }
      XCTAssertEqual(texts.title(of: root, values: [.value(.string("Ritz"))]), "Ritz and 1233 more")
      XCTAssertEqual(texts.title(of: root), "1,234")
    }
  }
#endif
