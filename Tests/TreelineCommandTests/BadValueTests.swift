import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline

@testable import TreelineCommand

/// Checks that an error about a column names the line of the first bad row of the file, and that the error comes
/// before work that would be lost.
@Suite struct BadValueTests {
  private func build(_ text: String, _ options: [String], name: String = "points.csv") throws -> Tool.Result {
    let folder = try TemporaryFolder()
    let input = try folder.write(text, to: name)
    return try Tool.run(["build", input, "-o", folder.path("index")] + options)
  }

  /// Tests bad values in random rows of two columns. Between the rows are blank lines, and some cells have several
  /// lines. The rows of a tree are in another order than the rows of the file.
  @Test func firstBadRowIsNamed() throws {
    for seed in Trials.seeds(60) {
      var random = SplitMix64(seed: seed)
      var (lines, firstBad) = (["# a preamble", "longitude,latitude,a,note,b"], nil as Int?)
      let rowCount = 40 + random.index(below: 200)
      var numbers = Array(0..<rowCount)
      for i in numbers.indices.reversed() { numbers.swapAt(i, random.index(below: i + 1)) }
      for row in 0..<rowCount {
        if random.index(below: 9) == 0 { lines.append("") }
        let isBad = random.index(below: 40) == 0
        if isBad, firstBad == nil { firstBad = lines.count + 1 }
        let bad = isBad ? random.index(below: 2) : -1
        let note = random.index(below: 7) == 0 ? ["\"two", "lines\""] : ["note"]
        let place = "\(random.index(below: 300)),\(random.index(below: 80))".split(separator: ",")
        let x = (Double(place[0]) ?? 0) - 150
        lines.append("\(x),\(place[1]),\(bad == 0 ? "no" : "1"),\(note[0])")
        lines += note.dropFirst()
        lines[lines.count - 1] += ",\(bad == 1 ? "x\(row % 3)" : "\(numbers[row])")"
      }
      let text = lines.joined(separator: "\n") + "\n"
      for options in [[], ["--grow", "merge"], ["--memory", "6kB"]] {
        let result = try build(text, ["--columns", "b:number,a:number"] + options)
        if let firstBad {
          #expect(result.code == 65, "seed \(seed) \(options): \(result.errors)")
          #expect(
            result.errors.contains("points.csv:\(firstBad): column "), "seed \(seed) \(options): \(result.errors)")
        } else {
          #expect(result.code == 0, "seed \(seed) \(options): \(result.errors)")
        }
      }
    }
  }

  /// Row numbers, groups and columns are checked together.
  @Test func firstBadValueOfAnyKindIsNamed() throws {
    let good = (0..<3000).map { "\($0 % 90),\($0 % 80),\(2999 - $0),1,no" }
    for (lines, options, expected) in [
      ([1001: "a", 1201: "r"], ["--row", "r"], 1001), ([1201: "a", 1001: "r"], ["--row", "r"], 1001),
      ([1001: "a", 2001: "never"], ["--never-cluster", "never"], 1001),
      ([1001: "never", 2001: "a"], ["--never-cluster", "never"], 1001),
      ([1002: "never", 1001: "r", 1003: "a"], ["--never-cluster", "never", "--row", "r"], 1001),
    ] as [([Int: String], [String], Int)] {
      var rows = good
      for (line, column) in lines {
        var cells = rows[line - 2].split(separator: ",").map(String.init)
        cells[["r": 2, "a": 3, "never": 4][column] ?? 0] = "bad\u{A0}1"
        rows[line - 2] = cells.joined(separator: ",")
      }
      let text = "x,y,r,a,never\n" + rows.joined(separator: "\n")
      for memory in [[], ["--memory", "40kB"]] {
        let result = try build(text, ["--columns", "a:number"] + options + memory)
        #expect(result.code == 65 && result.errors.contains("points.csv:\(expected): "), "\(result.errors)")
        #expect(result.errors.contains("found \"bad\\u{a0}1\""), "\(result.errors)")
      }
    }
  }

  @Test func repeatedRowNumbersAreNamedWithTheirLines() throws {
    let result = try build("x,y,r\n1,1,9\n2,2,5\n3,3,7\n4,4,5\n5,5,9\n", ["--row", "r"])
    #expect(result.code == 65 && result.errors.contains("found 5 twice, on lines 3 and 5"), "\(result.errors)")
    let next = try build("x,y,r\n1,1,4\n2,2,5\n\n3,3,5\n", ["--row", "r"])
    #expect(next.code == 65 && next.errors.contains("found 5 twice, on lines 3 and 5"), "\(next.errors)")
  }

  /// Only all times together determine their unit. Checks that the error names the line of the time that does not fit,
  /// although all points were read before.
  @Test(arguments: [[], ["--row", "r"]]) func timesWithoutACommonUnit(_ options: [String]) throws {
    let text = "x,y,r,t\n1,1,30,2024-01-01T00:00:00.123456789Z\nnone,1,7,\n2,2,20,0001-01-01\n3,3,10,\n"
    let result = try build(text, ["--columns", "t:time", "--skip-invalid"] + options)
    #expect(
      result.code == 65 && result.errors.contains("points.csv:4: column \"t\": expected a time"), "\(result.errors)")
  }

  /// The decimal mark is the likely reason.
  @Test func decimalMarksAreTheRemedy() throws {
    let text = "lon;lat;v;w\n1;2;1.234,56;2\n3;4;2,5;1.234\n"
    let points = try build(text, ["--columns", "v:number"])
    #expect(points.errors.contains("found \"1.234,56\"; give --decimal comma to read such numbers"), "\(points.errors)")
    for (cell, remedy) in [
      ("1,234", "remove the ',' between thousands; or, if the ',' is a decimal comma, give --decimal comma\n"),
      ("-1,234,567", "remove the ',' between thousands\n"),
    ] {
      let grouped = try build("lon;lat;v\n1;2;\(cell)\n", ["--columns", "v:number"])
      #expect(grouped.errors.hasSuffix("found \"\(cell)\"; \(remedy)"), "\(grouped.errors)")
    }
    let commas = try build(text, ["--columns", "w:number", "--decimal", "comma"])
    #expect(commas.errors.contains("found \"1.234\"; remove the '.' between thousands"), "\(commas.errors)")
    let found = try build(text, ["--columns", "all"])
    #expect(
      found.code == 0 && found.errors.contains("column \"v\" may have numbers with decimal commas"), "\(found.errors)")
    #expect(!found.errors.contains("column \"w\" may"), "\(found.errors)")
  }

  /// A build can sort rows by their row numbers. Checks that errors still name the right lines.
  @Test func rowsWithGivenNumbers() throws {
    let text = "x,y,id,v\n1,1,30,1\n2,2,10,b\n3,3,20,c\n"
    for memory in [[], ["--memory", "100B"]] {
      let result = try build(text, ["--row", "id", "--columns", "v:number"] + memory)
      #expect(result.code == 65 && result.errors.contains("points.csv:3: column \"v\""), "\(result.errors)")
    }
  }

  @Test func featuresOverSeveralLines() throws {
    let features = (0..<4).map {
      """
      {"type": "Feature",
       "properties": {"v": \($0 == 2 ? "[1]" : "1")},
       "geometry": {"type": "Point", "coordinates": [\($0), 2]}}
      """
    }
    let text = "{\"type\": \"FeatureCollection\", \"features\": [\n" + features.joined(separator: ",\n") + "]}"
    let result = try build(text, ["--columns", "v:number"], name: "points.geojson")
    #expect(
      result.code == 65 && result.errors.contains("points.geojson:8: column \"v\": expected a number, found [1]"),
      "\(result.errors)")
  }

  @Test func otherOptionsNameTheLine() throws {
    let text = "x,y,id,never\n\n1,1,3,no\n2,2,-1,maybe\n"
    let row = try build(text, ["--row", "id"])
    #expect(row.code == 65 && row.errors.contains("points.csv:4: expected a whole number"), "\(row.errors)")
    let never = try build(text, ["--never-cluster", "never"])
    #expect(never.code == 65 && never.errors.contains("points.csv:4: expected true, false"), "\(never.errors)")
  }

  @Test(arguments: ["\u{A0}7", "\u{2212}7", "7\u{200B}"]) func whatCannotBeSeenIsEscaped(_ cell: String) throws {
    let result = try build("x,y,v\n1,1,\(cell)\n", ["--columns", "v:number"])
    #expect(result.errors.contains("\\u{"), "\(result.errors)")
  }

  /// Checks that names of columns are checked before any row is read. Otherwise the bad row would be reported first.
  @Test(
    arguments: [
      ["--columns", "populaton"], ["--attributes", "populaton"], ["--row", "populaton"], ["--group-by", "populaton"],
    ]) func columnsAreCheckedBeforeRows(_ options: [String]) throws
  {
    for memory in [[], ["--memory", "100B"]] {
      let result = try build("x,y,population\n1,1,1\nnowhere,1,1\n", options + memory)
      #expect(
        result.code == 64 && result.errors.contains("the columns are \"population\"; did you mean \"population\"?"),
        "\(result.errors)")
    }
  }

  @Test(arguments: ["--columns", "--attributes"]) func tooManyColumns(_ option: String) throws {
    let names = (0..<20_000).map { "c\($0)" }
    let text = "x,y,\(names.joined(separator: ","))\n1,1\(String(repeating: ",1", count: names.count))\nnowhere,1\n"
    let values = option == "--columns" ? "all" : names.joined(separator: ",")
    let result = try build(text, [option, values])
    #expect(
      result.code == 64
        && result.errors.contains(
          "points.csv: \(option) may name at most 1000 columns and suffixes such as '+search', found 20000"),
      "\(result.errors.prefix(300))")
  }

  @Test(
    arguments: [
      ("buld", "found 'buld'; did you mean 'build'?"), ("QUERY", "did you mean 'query'?"),
      ("frobnicate", "the subcommands are query, cluster"), ("cities.csv", "expected a subcommand"),
    ]) func subcommandsAreSuggested(_ word: String, _ expected: String) throws
  {
    let result = try Tool.run(word, "cities.csv")
    #expect(result.code == 64 && result.errors.contains(expected), "\(result.errors)")
  }

  @Test(arguments: [("avg(v)", "'mean' instead of"), ("SUM(v)", "'sum' instead of"), ("medain(v)", "'median' instead")])
  func aggregatesAreSuggested(_ text: String, _ expected: String) throws {
    let result = try Tool.run("query", "Fixtures/formats/plain.csv", "--aggregate", text)
    #expect(result.code == 64 && result.errors.contains(expected), "\(result.errors)")
  }

  @Test func tooManyRowsIsAMistakeOfUsage() {
    let failure = Failure(of: AggregateError.tooManyRows(aggregate: "median(v)", found: 20_000_000, maximum: 1 << 24))
    #expect(failure.code == 64 && failure.message.contains("+percentiles"), "\(failure.message)")
  }

  /// Checks the estimate of how many cores a build can use while other programs run.
  @Test(
    arguments: [
      (2, 2, 0, 2), (2, 2, 2, 1), (2, 1, 1, 1), (2, 1, 3, 0.5), (8, 2, 4, 2), (1, 4, 0, 1), (0, 0, -1, 1),
    ] as [(Int, Int, Double, Double)])
  func forecastSharesCores(_ cores: Int, _ threads: Int, _ busy: Double, _ expected: Double) {
    #expect(BuildForecast.share(ofCores: cores, threads: threads, busyThreads: busy) == expected)
  }
}
