// Embedded Swift has no Codable.
#if !hasFeature(Embedded)
  extension Query: Codable {}
  extension Cut: Codable {}
  extension Viewport: Codable {}
  extension ExpansionOrder: Codable {}

  extension Parameterized {
    public init(from decoder: any Decoder) throws {
      let values = try [String: ParameterValue](from: decoder).sorted { $0.key < $1.key }
      var parameters = QueryParameters(values.map { ($0.key, "\($0.value)") }, bounds: .none)
      self.init(&parameters)
      parameters.refuseUnread()
      if !parameters.faults.isEmpty {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: parameters.message { $0 }))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      try Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.value) }).encode(to: encoder)
    }
  }

  extension ParameterValue: Codable {
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let integer = try? container.decode(Int.self) {
        self = .integer(integer)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let numbers = try? container.decode([Double].self) {
        self = .numbers(numbers)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .integer(let integer): try container.encode(integer)
      case .number(let number): try container.encode(number)
      case .numbers(let numbers): try container.encode(numbers)
      case .flag(let flag): try container.encode(flag)
      }
    }
  }

  extension Filter: Codable {
    /// Makes a filter from its text in CQL2.
    ///
    /// - Throws: `DecodingError`. If the text is not a filter, the underlying error is a ``FilterTextError``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        try self.init(container.decode(String.self))
      } catch let error as FilterTextError {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: container.codingPath, debugDescription: "Not a filter: \(error.message)", underlyingError: error
          ))
      }
    }

    /// Writes the filter as its text in CQL2.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(description)
    }
  }
#endif
