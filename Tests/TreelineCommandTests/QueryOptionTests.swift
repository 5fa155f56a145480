import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline

@testable import TreelineCommand

/// Checks that the options of `query` are the parameters of a query: the command line reads the parameters that a
/// `Query` writes.
@Suite struct QueryOptionTests {
  @Test func parametersAreOptions() throws {
    var random = SplitMix64(seed: 710)
    for _ in 0..<Trials.count(500) {
      var query = Query.random(&random)
      // `query` gives a single answer, so there is no earlier answer that it could continue.
      if query.cut.isContinuing { query.cut = .limit(query.cut.limit) }
      let options = query.parameters.map { "--\($0.name)=\($0.value)" }
      #expect(try QueryCommand.parse(options + ["points.csv"]).query() == query, "\(options)")
    }
  }
}
