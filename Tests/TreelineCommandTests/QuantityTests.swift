import Testing

@testable import TreelineCommand

/// Checks how the progress bar shows amounts.
@Suite struct QuantityTests {
  @Test(arguments: [
    (0, "0 points"), (1, "1 points"), (999.4, "999 points"), (999.5, "1.0 k points"), (12_345, "12.3 k points"),
    (139_409, "139.4 k points"), (999_949, "999.9 k points"), (999_950, "1.0 M points"), (10_400_000, "10.4 M points"),
    (2e9, "2.0 G points"), (5e15, "5000.0 T points"),
  ]) func points(amount: Double, text: String) { #expect(Quantity(amount: amount, unit: "points").description == text) }

  @Test func bytes() {
    #expect(Quantity(amount: 512, unit: "B").description == "512 B")
    #expect(Quantity(amount: 1_234_567, unit: "B").description == "1.2 MB")
  }
}
