import Testing

@_spi(Server) @testable import TreelineComparison

@Suite struct NumberTextTests {
  @Test(arguments: [
    (2.25, 1, "2.3"), (0.04, 1, "0.0"), (-0.04, 1, "0.0"), (-1.5, 0, "-2"), (12, 2, "12.00"), (0.5, 0, "1"),
  ]) func fixedDecimals(value: Double, decimals: Int, text: String) { #expect(fixed(value, decimals) == text) }

  @Test func groupsOfThree() {
    #expect([0, 999, 1_000, 139_409, -1_234_567].map(grouped) == ["0", "999", "1,000", "139,409", "-1,234,567"])
    #expect(coordinate(12.04) == "12" && coordinate(-3.46) == "-3.5")
  }

  @Test func pathsAreRelative() {
    var path = PathText()
    path.move(to: PixelPoint(x: 1.04, y: 2))
    path.line(to: PixelPoint(x: 1.04, y: 1))
    path.line(to: PixelPoint(x: 1.02, y: 1.01))
    path.close(at: PixelPoint(x: 1.04, y: 2))
    path.dots(at: [PixelPoint(x: 0, y: 0)])
    #expect(path.text == "m10 20l0-10zm-10-20h0")
  }
}
