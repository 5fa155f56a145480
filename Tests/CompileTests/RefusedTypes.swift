// Filters and aggregates that the types of properties do not allow.

import Treeline
import TreelineBuilder

enum Kind: String, ColumnValue { case cafe, bar }

struct Place: Sendable {
  var coordinate: Coordinate
  var price: Double?
  var kind: Kind
  var name: String
  var opened: Instant
}

func refused(_ places: [Place], _ map: ClusterMap<Place>) throws {
  let shown = try map.clusters(.limit(5), in: .everything)
  // expected-error@+1 {{static method 'sum' requires that 'String' conform to 'SummableColumnValue'}}
  _ = try map.values(of: .sum(\.name), for: shown)
  // expected-error@+1 {{static method 'mean' requires that 'Instant' conform to 'SummableColumnValue'}}
  _ = try map.values(of: .mean(\.opened), for: shown)
  // expected-error@+1 {{static method 'max' requires that 'Coordinate' conform to 'ColumnValue'}}
  _ = try map.values(of: .max(\.coordinate), for: shown)
  // expected-error@+1 {{static method 'max' requires the types 'String?' and 'Instant?' be equivalent}}
  let _: [String?] = try map.values(of: .max(\.opened), for: shown)
  // expected-error@+1 {{cannot convert value of type 'String' to expected argument type}}
  _ = try map.filtered(by: \.price < "120")
  // expected-error@+2 {{operator function '<' requires that 'Kind' conform to 'Comparable'}}
  // expected-note@+1 {{did you mean to use '.rawValue'?}}
  _ = try map.filtered(by: \.kind < .bar)
  // expected-error@+2 {{requires that 'String' conform to 'Numeric'}}
  // expected-error@+1 {{requires that 'String' conform to 'SummableColumnValue'}}
  _ = try ClusterMap(places, at: \.coordinate, columns: .number(\.name))
}
