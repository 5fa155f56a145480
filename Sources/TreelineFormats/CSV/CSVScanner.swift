/// A cell as offsets into the scanned bytes, without the quotes around it.
struct CSVCell {
  var start = 0
  var end = 0
  /// Whether the cell contains quotes, which are written twice.
  var hasDoubledQuotes = false
}

/// The facts about a record, apart from its cells, found in one pass.
struct CSVRecord {
  /// End of the content, and start of the next record after the line break.
  var contentEnd = 0
  var end = 0
  var columnCount = 0
  /// Number of line breaks (LF, CR LF or CR) consumed, including those inside quotes.
  var lineBreaks = 0
  /// The first column with text after its closing quote, counted from 0; -1 if there is none.
  var strayColumn = -1
}

enum CSVScan {
  case record(CSVRecord)
  /// The bytes end within the record, and more may follow.
  case incomplete
  /// The input ends within quotes; the column is counted from 0.
  case unclosedQuote(column: Int)
}

/// Scans the record at the start of `bytes`, which must not be empty (RFC 4180).
///
/// A quote opens a quoted cell only as the first byte of the cell. TSV has no quotes by convention. So in TSV a quote
/// also needs a closing quote directly before the next tab or line break; otherwise it is an ordinary character. After
/// a closing quote only a delimiter or the end of the line may follow. Any other text there is skipped and reported as
/// `strayColumn`. If `isFinal`, nothing follows `bytes`, so their end is the end of the record.
@inline(__always) func scanCSVRecord(
  _ bytes: Bytes, delimiter: UInt8, isFinal: Bool, onCell: (_ column: Int, CSVCell) -> Void
) -> CSVScan {
  var record = CSVRecord()
  var position = 0
  while true {
    var cell = CSVCell(start: position)
    var isQuoted = position < bytes.count && bytes[position] == Byte.quote
    if isQuoted && delimiter == Byte.tab {
      guard let isClosed = closesWithinCell(bytes, position, isFinal) else { return .incomplete }
      isQuoted = isClosed
    }
    if isQuoted {
      guard scanQuotedCell(bytes, &position, &cell, &record.lineBreaks) else {
        return isFinal ? .unclosedQuote(column: record.columnCount) : .incomplete
      }
      let afterQuote = position
      skipUnquoted(bytes, &position, delimiter)
      if position > afterQuote && record.strayColumn < 0 { record.strayColumn = record.columnCount }
    } else {
      skipUnquoted(bytes, &position, delimiter)
      cell.end = position
    }
    if position == bytes.count && !isFinal { return .incomplete }
    onCell(record.columnCount, cell)
    record.columnCount += 1

    record.contentEnd = position
    if position == bytes.count { break }
    if bytes[position] == delimiter {
      position += 1
      continue
    }
    let isCarriageReturn = bytes[position] == Byte.carriageReturn
    position += 1
    if isCarriageReturn {
      // Only the next byte shows whether the line break is CR LF or CR alone.
      if position == bytes.count && !isFinal { return .incomplete }
      if position < bytes.count && bytes[position] == Byte.lineFeed { position += 1 }
    }
    record.lineBreaks += 1
    break
  }
  record.end = position
  return .record(record)
}

@inline(__always) private func skipUnquoted(_ bytes: Bytes, _ position: inout Int, _ delimiter: UInt8) {
  while position < bytes.count {
    let byte = bytes[position]
    if byte == delimiter || byte == Byte.lineFeed || byte == Byte.carriageReturn { return }
    position += 1
  }
}

/// Returns whether the quote at the start of a TSV cell is closed at the end of the cell; nil if more bytes are needed.
private func closesWithinCell(_ bytes: Bytes, _ start: Int, _ isFinal: Bool) -> Bool? {
  var position = start + 1
  while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if byte == Byte.tab || byte == Byte.lineFeed || byte == Byte.carriageReturn { return false }
    guard byte == Byte.quote else { continue }
    guard position < bytes.count else { return isFinal ? true : nil }
    switch bytes[position] {
    case Byte.quote: position += 1
    case Byte.tab, Byte.lineFeed, Byte.carriageReturn: return true
    default: return false
    }
  }
  return isFinal ? false : nil
}

/// Skips from an opening quote past its closing quote. Returns false if the closing quote is missing.
private func scanQuotedCell(_ bytes: Bytes, _ position: inout Int, _ cell: inout CSVCell, _ lineBreaks: inout Int)
  -> Bool
{
  position += 1
  cell.start = position
  while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if byte == Byte.quote {
      guard position < bytes.count, bytes[position] == Byte.quote else {
        cell.end = position - 1
        return true
      }
      cell.hasDoubledQuotes = true
      position += 1
    } else if byte == Byte.lineFeed {
      lineBreaks += 1
    } else if byte == Byte.carriageReturn {
      if position == bytes.count || bytes[position] != Byte.lineFeed { lineBreaks += 1 }
    }
  }
  return false
}
