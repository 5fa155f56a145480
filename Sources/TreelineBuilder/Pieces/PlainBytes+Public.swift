import Treeline

// A build in pieces consists of steps, which may run on different machines. The steps pass values of these types to
// each other as bytes. The bytes can be read only by the version of the library that wrote them, on a machine with
// the same byte order.

extension PointSurvey {
  /// The survey as bytes. The size depends on how many longitudes have points, and is at most 0.5 MB.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `PointSurvey.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension PlanRound {
  /// The round as bytes. A node is open while the plan of the build still needs an answer about the node. The size is
  /// about 40 bytes for each open node and for each node above an open node.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `PlanRound.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension PiecePlan {
  /// The plan as bytes: about 230 bytes for each piece.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `PiecePlan.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension PieceTask {
  /// The task as bytes, about 200 bytes.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `PieceTask.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension ColumnValues {
  /// The values as bytes: each different value once, and 1 to 4 bytes for each point.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `ColumnValues.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension ColumnSurvey {
  /// The survey as bytes: about 500 bytes, and up to 65,536 different values.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `ColumnSurvey.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension ColumnEntries {
  /// The different values as bytes: for each value its text and 8 bytes.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `ColumnEntries.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}

extension ColumnEncoding {
  /// The encoding as bytes: about 50 bytes, and the dictionary.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by `ColumnEncoding.bytes`, or have changed since.
  public init(bytes: [UInt8]) throws { try self.init(plainBytes: bytes) }
}
