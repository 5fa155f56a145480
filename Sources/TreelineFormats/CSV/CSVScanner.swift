/// A cell, as offsets into the scanned bytes. Quotes around the cell are not included.
struct CSVCell {
  var start = 0
  var end = 0
  /// Whether the cell contains quotes. Each quote in the cell is written as two quotes.
  var hasDoubledQuotes = false
}

/// A scanned record, without its cells. The scan passes each cell to a closure.
struct CSVRecord {
  /// Offset of the end of the record, before its line break.
  var contentEnd = 0
  /// Offset of the end of the line break, where the next record begins.
  var end = 0
  var columnCount = 0
  /// Number of line breaks (LF, CR LF or CR) in the record, including line breaks inside quotes and the line break at
  /// the end of the record.
  var lineBreaks = 0
  /// First column with text after its closing quote, counted from 0; -1 if no column has such text.
  var strayColumn = -1
}

enum CSVScan {
  case record(CSVRecord)
  /// The bytes end within the record, and the input may continue.
  case incomplete
  /// The input ends inside a quoted cell. `column` is the column of this cell, counted from 0.
  case unclosedQuote(column: Int)
}

/// Scans the record at the start of `bytes` (RFC 4180). `bytes` must not be empty.
///
/// A quote opens a quoted cell only if it is the first byte of the cell. After a closing quote, only a delimiter or
/// the end of the line may follow. Other text after a closing quote is skipped, and its column is reported as
/// `strayColumn`. If `isFinal`, the record ends at the end of `bytes` at the latest.
///
/// By convention, TSV has no quotes. So in TSV, a quote opens a cell only if a closing quote follows directly before
/// the next tab or line break. Otherwise the quote is an ordinary character.
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
      // The next byte decides whether the line break is CR LF or only CR.
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

/// Returns whether the quote at the start of a TSV cell has a closing quote at the end of the cell; nil if more bytes
/// are needed.
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

/// Moves from an opening quote to the byte after its closing quote. Returns false if there is no closing quote.
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
