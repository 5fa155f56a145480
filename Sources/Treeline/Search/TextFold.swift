/// The folded forms of characters. A search compares folded texts. A folded text has no case, no accents, and one
/// space between words.
///
/// The forms come from a table of this package instead of functions of the standard library. With the functions of the
/// standard library, the order of an index would depend on the system's version of Unicode. The page about the index
/// format defines the forms.
package struct TextFold: Sendable {
  /// Version number of the folded forms. An index with a search stores this number.
  package static let version: UInt32 = 1

  package static let separator: UInt32 = 0x20

  static let shared = TextFold()

  /// A run of characters whose forms follow one rule. The run contains every `step`-th character from `first` through
  /// `last`. If `targets` is nil, the form of a character is the sum of the character's code and `delta`. If `targets`
  /// is empty, the characters are left out. Otherwise all characters of the run have one form, and `targets` is the
  /// range of this form in `TextFold.targets`.
  private struct Run {
    let first: UInt32
    let last: UInt32
    let step: UInt32
    let delta: Int32
    let targets: Range<Int>?
  }

  private let runs: [Run]
  private let targets: [UInt32]
  /// The forms of the characters below `smallCount`; `isLonger` if the form has several characters.
  private let small: [UInt32]

  private static let smallCount = 0x250
  private static let isLonger = UInt32.max

  private init() {
    var (runs, targets, digits) = ([Run](), [UInt32](), Digits(lines: Self.table))
    var end: UInt32 = 0
    while let gap = digits.next(), let length = digits.next(), let size = digits.next() {
      let (first, step) = (end + gap, length % 2 + 1)
      let last = first + length / 2 * step
      let start = targets.count
      var delta: Int32 = 0
      switch size {
      case 0: break
      case 1: targets.append(Self.separator)
      case 2:
        let number = digits.next() ?? 0
        delta = number % 2 == 0 ? Int32(number / 2) : -Int32(number / 2) - 1
      default: for _ in 1..<size { targets.append(digits.next() ?? 0) }
      }
      runs.append(
        Run(first: first, last: last, step: step, delta: delta, targets: size == 2 ? nil : start..<targets.count))
      end = last + 1
    }
    (self.runs, self.targets) = (runs, targets)
    small = (0..<UInt32(Self.smallCount)).map { scalar in
      Self.form(of: scalar, runs, targets) { $0.count == 1 ? $0[$0.startIndex] : Self.isLonger }
    }
  }

  /// Calls `body` with the folded form of a character. The form is empty if the character is left out, and a separator
  /// if the character divides words.
  @inline(__always) fileprivate func form(of scalar: UInt32, _ body: (ArraySlice<UInt32>) -> Void) {
    Self.form(of: scalar, runs, targets, body)
  }

  /// Returns the form of a character whose code point is less than `smallCount`. Returns nil for other characters, and
  /// if the form is not a single character.
  @inline(__always) fileprivate func smallForm(of scalar: UInt32) -> UInt32? {
    guard scalar < Self.smallCount else { return nil }
    let form = small[Int(scalar)]
    return form == Self.isLonger ? nil : form
  }

  private static func form<Result>(
    of scalar: UInt32, _ runs: [Run], _ targets: [UInt32], _ body: (ArraySlice<UInt32>) -> Result
  ) -> Result {
    // The form of a Hangul syllable is the two or three letters of its canonical decomposition (The Unicode Standard,
    // 3.12).
    if 0xAC00...0xD7A3 ~= scalar {
      let place = scalar - 0xAC00
      let letters = [0x1100 + place / 588, 0x1161 + place % 588 / 28, 0x11A7 + place % 28]
      return body(place % 28 == 0 ? letters[..<2] : letters[...])
    }
    let number = firstIndex(in: runs.indices) { runs[$0].last >= scalar }
    guard number < runs.count, runs[number].first <= scalar, (scalar - runs[number].first) % runs[number].step == 0
    else { return body([scalar]) }
    guard let range = runs[number].targets else {
      return body([UInt32(truncatingIfNeeded: Int64(scalar) + Int64(runs[number].delta))])
    }
    return body(targets[range])
  }

  /// A reader of numbers. A number has one or more digits, and the lowest digit comes first. A digit is a character
  /// that stands for six bits. The lower five bits belong to the number. The highest bit is 1 if another digit
  /// follows.
  private struct Digits {
    private var digits: [UInt32]
    private var position = 0

    init(lines: [StaticString]) {
      let order = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-".utf8)
      var values = [UInt32](repeating: 0, count: 256)
      for (value, character) in order.enumerated() { values[Int(character)] = UInt32(value) }
      digits = lines.flatMap { line in line.withUTF8Buffer { $0.map { values[Int($0)] } } }
    }

    mutating func next() -> UInt32? {
      var (number, shift): (UInt32, UInt32) = (0, 0)
      while position < digits.count {
        let digit = digits[position]
        position += 1
        number |= (digit & 31) << shift
        shift += 5
        if digit < 32 { return number }
      }
      return nil
    }
  }
}

/// An iterator over the folded characters of a UTF-8 text. Words are divided by one separator. There is no separator
/// before the first word or after the last word. Invalid UTF-8 is read as U+FFFD.
package struct FoldedText: IteratorProtocol {
  private let fold = TextFold.shared
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// `rest` contains the characters of a form that were not returned yet. If `held` is not nil, it is returned before
  /// them.
  private var rest: ArraySlice<UInt32> = []
  private var held: UInt32?
  private var isBetweenWords = true
  private var hasWord = false

  /// An offset in the input. The last returned character comes from the input's character at this offset.
  package private(set) var offset = 0
  /// Whether the last returned character begins a word.
  package private(set) var beginsWord = false

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package mutating func next() -> UInt32? {
    if let held {
      self.held = nil
      beginsWord = true
      return held
    }
    beginsWord = false
    if let next = rest.popFirst() { return next }
    while position < bytes.count {
      offset = position
      let scalar = nextScalar()
      var first: UInt32
      if let form = fold.smallForm(of: scalar) {
        first = form
      } else {
        fold.form(of: scalar) { rest = $0 }
        guard let form = rest.popFirst() else { continue }
        first = form
      }
      if first == TextFold.separator {
        isBetweenWords = true
        continue
      }
      guard isBetweenWords else { return first }
      isBetweenWords = false
      if hasWord { (first, held) = (TextFold.separator, first) } else { beginsWord = true }
      hasWord = true
      return first
    }
    return nil
  }

  /// Reads a character. A byte that begins no valid character is read as U+FFFD.
  @inline(__always) private mutating func nextScalar() -> UInt32 {
    let first = UInt32(bytes[position])
    position += 1
    if first < 0x80 { return first }
    let length = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    guard first >= 0xC2, first < 0xF5, position + length <= bytes.count else { return 0xFFFD }
    var scalar = first & (0x3F >> UInt32(length))
    for index in position..<position + length {
      let byte = UInt32(bytes[index])
      guard byte & 0xC0 == 0x80 else { return 0xFFFD }
      scalar = scalar << 6 | byte & 0x3F
    }
    let least: UInt32 = length == 1 ? 0x80 : length == 2 ? 0x800 : 0x1_0000
    guard scalar >= least, scalar < 0x11_0000, !(0xD800..<0xE000 ~= scalar) else { return 0xFFFD }
    position += length
    return scalar
  }
}

extension FoldedText {
  /// Returns all folded characters of a text.
  package static func characters(of text: String) -> [UInt32] {
    var text = text
    return text.withUTF8 { bytes in
      var (folded, characters) = (FoldedText(UnsafeRawBufferPointer(bytes)), [UInt32]())
      while let character = folded.next() { characters.append(character) }
      return characters
    }
  }
}
