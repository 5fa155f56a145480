import Treeline

extension ColumnSurvey: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(name)
    bytes.append(purpose.text)
    let flags = [hasMissing, cells != nil, spelling.hasPoint, spelling.hasCode, cells == .comma]
    bytes.append([UInt64(pointCount), PlainBytes.bits(flags), UInt64(candidates.rawValue)])
    bytes.append(numbers)
    bytes.append(times)
    bytes.append(entries.map { [$0] } ?? [])
    bytes.append(problem.map { [$0] } ?? [])
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    let name = try bytes.readText()
    let text = try bytes.readText()
    let fields: [UInt64] = try bytes.readArray()
    guard let purpose = Purpose(text: text), fields.count == 3, fields[0] <= IndexHeader.maximumPointCount else {
      throw .damaged(what: "the survey of a column", expected: "its kind and point count", found: "\(text), \(fields)")
    }
    self.init(of: purpose, name: name, cells: fields[1] & 2 == 0 ? nil : fields[1] & 16 == 0 ? .point : .comma)
    (pointCount, hasMissing) = (Int(fields[0]), fields[1] & 1 != 0)
    (spelling.hasPoint, spelling.hasCode) = (fields[1] & 4 != 0, fields[1] & 8 != 0)
    candidates.formIntersection(Candidates(rawValue: UInt8(truncatingIfNeeded: fields[2])))
    numbers = try NumberSurvey(from: &bytes)
    times = try TimeSurvey(from: &bytes)
    entries = try bytes.readValues(of: EntrySet.self).first
    entries?.prepare()
    problem = try bytes.readValues(of: UnsuitableValue.self).first
    guard entries?.count ?? 0 <= Self.mostEntries else {
      throw .damaged(
        what: "the survey of a column", expected: "at most \(Self.mostEntries) different values",
        found: "\(entries?.count ?? 0)")
    }
  }
}

extension ColumnSurvey.Purpose {
  /// Name of the kind, as in the command-line tool; empty if the kind must be found.
  fileprivate var text: String {
    switch self {
    case .typed(let kind): kind?.rawValue ?? ""
    case .attribute: "attribute"
    }
  }

  fileprivate init?(text: String) {
    switch text {
    case "": self = .typed(nil)
    case "attribute": self = .attribute
    default:
      guard let kind = IndexColumn.Kind(rawValue: text) else { return nil }
      self = .typed(kind)
    }
  }
}
