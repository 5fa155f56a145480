import Treeline

// The values that go from one step of a build in pieces to another, wherever that runs. Their bytes are for builds of
// one version of the library, on machines of the same byte order.

extension PointSurvey {
  /// The survey as bytes: up to 0.5 MB, by how many longitudes have points.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PlanRound {
  /// The round as bytes: some 40 for each node above, and for each that it asks about.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PiecePlan {
  /// The plan as bytes: some 200 for each piece.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}

extension PieceTask {
  /// The piece that is to be built as bytes, some 100.
  public var bytes: [UInt8] { plainBytes }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write.
  public init(bytes: [UInt8]) throws(PieceError) { try self.init(plainBytes: bytes) }
}
