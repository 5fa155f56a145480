import Treeline

// These values pass from one step of a build in pieces to another step, on any machine. Only the version of the library
// that wrote the bytes can read them, and only on machines with the same byte order.

extension PointSurvey {
  /// The survey as bytes: up to 0.5 MB, depending on how many longitudes have points.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PlanRound {
  /// The round as bytes: about 40 bytes for each node that the round asks about, and for each node above one of these
  /// nodes.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PiecePlan {
  /// The plan as bytes: about 230 bytes for each piece.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PieceTask {
  /// The task as bytes, about 200 bytes.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension ColumnValues {
  /// The values as bytes: each different value once, and 1 to 4 bytes for each point.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension ColumnSurvey {
  /// The survey as bytes: about 500 bytes, and up to 65,536 different values.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension ColumnEntries {
  /// The different values as bytes: for each value its text and 8 bytes.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension ColumnEncoding {
  /// The encoding as bytes: about 50 bytes, and the dictionary.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` unless these are unchanged bytes from the property `bytes`.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}
