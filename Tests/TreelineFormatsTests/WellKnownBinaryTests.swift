import Foundation
import Testing
import Treeline

@testable import TreelineFormats

/// Checks well-known binary. The test composes it by the tables of the standard and of PostGIS's extension.
@Suite struct WellKnownBinaryTests {
  private func scan(_ text: String) -> WellKnownText { Array(text.utf8).withUnsafeBufferPointer { WellKnownText($0) } }

  private func binary(isLittleEndian: Bool, type: UInt32, srid: UInt32? = nil, _ numbers: [Double]) -> String {
    func bytes<Integer: FixedWidthInteger>(_ integer: Integer) -> [UInt8] {
      withUnsafeBytes(of: isLittleEndian ? integer.littleEndian : integer.bigEndian) { Array($0) }
    }
    let all =
      [isLittleEndian ? 1 : 0] + bytes(type) + (srid.map { bytes($0) } ?? []) + numbers.flatMap { bytes($0.bitPattern) }
    return all.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: [true, false]) func pointsAreRead(isLittleEndian: Bool) {
    let numbers = [2.35, -48.85, 7, 8]
    let dimensions: [(types: [UInt32], count: Int)] = [
      ([1], 2), ([1001, 0x8000_0001], 3), ([2001, 0x4000_0001], 3), ([3001, 0xC000_0001], 4),
    ]
    for (types, count) in dimensions {
      for type in types {
        let numbers = Array(numbers.prefix(count))
        let plain = binary(isLittleEndian: isLittleEndian, type: type, numbers)
        let point = WellKnownText.point(first: 2.35, second: -48.85, srid: nil)
        for text in [plain, plain.uppercased(), "\\x" + plain, " \(plain) "] { #expect(scan(text) == point) }
        let extended = binary(isLittleEndian: isLittleEndian, type: type | 0x2000_0000, srid: 4326, numbers)
        #expect(scan(extended) == .point(first: 2.35, second: -48.85, srid: 4326))
        // Any shorter text, and any longer text, is either broken or not recognized.
        for length in 0..<extended.count {
          #expect([.brokenBinary, .unknown].contains(scan(String(extended.prefix(length)))))
        }
        #expect(scan(plain + "00") == .brokenBinary)
      }
    }
    #expect(scan(binary(isLittleEndian: isLittleEndian, type: 1, [.nan, .nan])) == .emptyPoint)
  }

  @Test func geometriesAreToldApart() {
    let names: [UInt32: String] = [
      2: "LINESTRING", 3: "POLYGON", 4: "MULTIPOINT", 5: "MULTILINESTRING", 6: "MULTIPOLYGON", 7: "GEOMETRYCOLLECTION",
      8: "CIRCULARSTRING", 9: "COMPOUNDCURVE", 10: "CURVEPOLYGON", 11: "MULTICURVE", 12: "MULTISURFACE",
      15: "POLYHEDRALSURFACE", 16: "TIN", 17: "TRIANGLE",
    ]
    for number in UInt32(2)..<1000 {
      for type in [number, number + 1000, number | 0xA000_0000] {
        let expected = names[number].map(WellKnownText.other(type:)) ?? .brokenBinary
        #expect(scan(binary(isLittleEndian: true, type: type, [0, 0])) == expected)
      }
    }
    for type in [0, 1000, 4001] as [UInt32] {
      #expect(scan(binary(isLittleEndian: true, type: type, [0, 0])) == .brokenBinary)
    }
  }

  /// Tests columns in the form in which PostgreSQL writes a column of a table to CSV.
  @Test func columnsAreRead() throws {
    let paris = "0101000020E6100000CDCCCCCCCCCC0240CDCCCCCCCC6C4840"
    let table = try read("name,geom\na,\(paris)\nb,POINT (1 2)\n", ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == [Coordinate(longitude: 2.35, latitude: 48.85), Coordinate(longitude: 1, latitude: 2)])
    #expect(table.kept(0) == ["name=string a"])
    // The file has no header: its first row is data.
    #expect(try read("\(paris)\n\(paris)\n", ReadingOptions(columns: .wkt("1"))).coordinates.count == 2)
    #expect(
      message("geom\n\(paris.replacingOccurrences(of: "E6100000", with: "110F0000"))\n").contains(
        "found SRID 3857; convert the coordinates with ST_Transform"))
    for value in [Double.nan, .infinity, 181] {
      let cell = binary(isLittleEndian: true, type: 1, [value, 2])
      #expect(message("geom\n\(cell)\n").contains("expected a longitude from -180 to 180"))
    }
  }
}
