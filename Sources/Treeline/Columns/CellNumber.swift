/// The decimal mark of a number in a text cell. The raw value is the byte of the mark.
package enum DecimalMark: UInt8, Sendable {
  case point = 0x2E
  case comma = 0x2C

  /// The mark that may separate thousands if `self` is the decimal mark.
  fileprivate var betweenThousands: UInt8 { self == .point ? Self.comma.rawValue : Self.point.rawValue }
}

/// A number in a text cell. Unlike a JSON number it may have leading zeros, a plus sign, and a point with digits on
/// only one side, as in `.5` and `5.`. If the decimal mark is the comma, the number has a comma instead of the point.
/// In a number with decimals, the other mark may separate thousands, as in `1.234,56`. In a number without decimals,
/// no mark may separate thousands, because `1.234` could be read in two ways.
package struct CellNumber {
  package typealias Bytes = UnsafeBufferPointer<UInt8>

  private let isNegative: Bool
  private let hasPlus: Bool
  /// Whether the number has a decimal point, or a decimal comma.
  let hasPoint: Bool
  /// Whether marks separate the thousands.
  package let hasGroups: Bool
  /// The digits before the point, with the marks between thousands.
  private let whole: Bytes
  private let fraction: Bytes
  /// The exponent with its letter.
  private let exponent: Bytes

  /// - Parameter bytes: The text. Spaces and tabs around the number are ignored. The memory of the text must stay valid
  ///   as long as the number is used.
  /// - Returns: nil if the text is not a number, or if the magnitude of the number is not below 1.8e308.
  package init?(_ bytes: Bytes, mark: DecimalMark = .point) {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var position = bytes.prefix(while: isSpace).count
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? position
    func next() -> UInt8 { position < end ? bytes[position] : 0 }
    func take(byte: UInt8) -> Bool {
      guard next() == byte else { return false }
      position += 1
      return true
    }
    func take(_ letter: Unicode.Scalar) -> Bool { take(byte: UInt8(ascii: letter)) }
    func takeDigits() -> Bytes {
      let start = position
      while UInt8(ascii: "0")...UInt8(ascii: "9") ~= next() { position += 1 }
      return Bytes(rebasing: bytes[start..<position])
    }
    isNegative = take("-")
    hasPlus = !isNegative && take("+")
    let first = takeDigits()
    let beginning = position - first.count
    if 1...3 ~= first.count, first[0] != UInt8(ascii: "0") {
      while next() == mark.betweenThousands {
        let mark = position
        _ = take(byte: next())
        if takeDigits().count == 3 { continue }
        position = mark
        break
      }
    }
    whole = Bytes(rebasing: bytes[beginning..<position])
    hasGroups = whole.count > first.count
    hasPoint = take(byte: mark.rawValue)
    fraction = hasPoint ? takeDigits() : Bytes(rebasing: bytes[..<0])
    guard whole.count + fraction.count > 0, !hasGroups || fraction.count > 0 else { return nil }
    let start = position
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      guard takeDigits().count > 0 else { return nil }
    }
    exponent = Bytes(rebasing: bytes[start..<position])
    guard position == end else { return nil }
    if exponent.count > 0 || whole.count > 300, !(Double(literal)?.isFinite ?? false) { return nil }
  }

  /// The number as JSON writes it.
  package var literal: String {
    var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    let digits = whole.drop { $0 == UInt8(ascii: "0") }.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    text += digits.isEmpty ? [UInt8(ascii: "0")] : digits
    if fraction.count > 0 { text += [UInt8(ascii: ".")] + fraction }
    return String(decoding: text + exponent, as: UTF8.self)
  }

  /// Whether the number looks like a code rather than an amount: it has a leading zero, an exponent, or more than 15
  /// digits, which a double cannot keep. A number that begins with a plus sign and is as long as a telephone number
  /// also looks like a code.
  var isCodelike: Bool {
    whole.count > 1 && whole[0] == UInt8(ascii: "0") || exponent.count > 0
      || !hasPoint && whole.count > (hasPlus ? 6 : 15)
  }
}

extension CellNumber {
  /// Returns the number that a text contains, written as in JSON; nil for a text that is not a number.
  ///
  /// - Parameter allowsPlus: Whether the number may have a plus sign.
  package static func literal(_ text: String, mark: DecimalMark = .point, allowsPlus: Bool) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      CellNumber(bytes, mark: mark).flatMap { allowsPlus || !$0.hasPlus ? $0.literal : nil }
    }
  }

  /// Returns a remedy for a text whose commas keep it from being read as a number; nil if it has another fault.
  package static func commaRemedy(_ text: String) -> String? {
    let digits = text.filter { !" \t".contains($0) }.drop { "-+".contains($0) }
    let groups = digits.split(separator: ",", omittingEmptySubsequences: false)
    let areDigits = groups.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
    let mayBeGroups = areDigits && 1...3 ~= groups[0].count && groups[0].first != "0"
    if mayBeGroups, groups.count > 1, groups.dropFirst().allSatisfy({ $0.count == 3 }) {
      let remedy = "remove the ',' between thousands"
      return groups.count > 2 ? remedy : remedy + "; or, if the ',' is a decimal comma, give --decimal comma"
    }
    return haveDecimalCommas([text]) ? "give --decimal comma to read such numbers" : nil
  }

  /// Returns whether there is at least one text, and every text is a number with a decimal comma.
  package static func haveDecimalCommas(_ texts: [String]) -> Bool {
    !texts.isEmpty
      && texts.allSatisfy { text in
        var text = text
        return text.withUTF8 { CellNumber($0, mark: .comma)?.hasPoint ?? false }
      }
  }
}

/// The spelling of the numbers in a column of text cells. A text cell has no type, so the spelling decides whether all
/// cells of the column are read as numbers or as texts.
///
/// If any number has a decimal point, the cells are read as numbers. If no number has a decimal point, and any cell
/// looks like a code, the cells are read as texts. Examples of codes are 02134, 1E8 and an identifier of 18 digits.
package struct CellSpelling: Sendable {
  package var hasPoint = false
  package var hasCode = false

  package init() {}

  package var areNumbers: Bool { hasPoint || !hasCode }

  /// Adds a cell that is a number.
  package mutating func add(_ number: CellNumber) {
    hasPoint = hasPoint || number.hasPoint
    hasCode = hasCode || number.isCodelike
  }

  /// Adds a cell, if its text is a number.
  ///
  /// - Returns: Whether the cell is a number.
  package mutating func add(_ text: String, mark: DecimalMark = .point) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard let number = CellNumber(bytes, mark: mark) else { return false }
      add(number)
      return true
    }
  }

  /// Adds the results for other cells of the column.
  package mutating func add(_ other: CellSpelling) {
    hasPoint = hasPoint || other.hasPoint
    hasCode = hasCode || other.hasCode
  }
}
