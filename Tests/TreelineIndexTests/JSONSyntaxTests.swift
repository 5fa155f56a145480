import Foundation
import Testing

@testable import Treeline

/// Checks the syntax of RFC 8259. It decides which literals are written unchanged.
@Suite struct JSONSyntaxTests {
  private func isValue(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { JSONSyntax.isValue($0) } }
  private func isNumber(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { JSONSyntax.isNumber($0) } }

  @Test func numbers() {
    for number in ["0", "-0", "10", "1.5", "-1e5", "1E+5", "0.1e-7", "123456789012345678901234567890"] {
      #expect(isNumber(number) && isValue(number), "\(number)")
    }
    for other in ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN", "1 ", " 1", "--1", "1}"] {
      #expect(!isNumber(other) && !isValue(other), "\(other)")
    }
  }

  @Test func values() {
    for value in [
      "null", "true", "false", "\"\"", "\"a\\u00e9\\n\\\"\"", "[]", "{}", "[1,[],{}]",
      "{\"a\":{\"b\":[1,2,{}]},\"c\":null}", "[ 1 , 2 ]", "{ \"a\" : 1 }", "[\n]", "\"é🏔\"",
      String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000),
    ] { #expect(isValue(value), "\(value)") }
    for other in [
      "", "nul", "truefalse", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "[", "]", "[1", "[1,]", "[,1]", "{", "{\"a\"}",
      "{\"a\":}", "{\"a\":1,}", "{1:2}", "[1}", "{\"a\":1]", "1,2", "[] []", "{a:1}",
      String(repeating: "[", count: 1025) + String(repeating: "]", count: 1025), String(repeating: "[", count: 100_000),
    ] { #expect(!isValue(other), "\(other.prefix(40))") }
    #expect(![0x22, 0xFF, 0x22].withUnsafeBytes { JSONSyntax.isValue($0) }, "bytes that are not UTF-8")
  }
}
