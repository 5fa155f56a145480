/// Prefix sums of the positions of points that pass a filter. There is one prefix sum for each word of 64 points. The
/// sums yield the exact mean of any node. The sum over a node is the difference of two prefix sums, corrected for the
/// points at both ends of the node's range.
struct PassingMeans {
  /// The prefix sums for one word: the sums of the coordinates of all passing points before this word. Coordinates are
  /// measured from the plane's corner.
  struct Sums {
    var x: UInt64 = 0
    var y: UInt64 = 0

    @inline(__always) fileprivate mutating func add(
      _ bits: UInt64, of points: UnsafePointer<PlanePoint>, _ turn: UInt32
    ) {
      var (x, y) = (UInt64(0), UInt64(0))
      CountedRows.forEach(bits, from: 0) { index in
        x &+= UInt64(points[index].x &+ turn)
        y &+= UInt64(points[index].y)
      }
      self.x &+= x
      self.y &+= y
    }

    @inline(__always) fileprivate static func - (a: Sums, b: Sums) -> Sums { Sums(x: a.x &- b.x, y: a.y &- b.y) }
    @inline(__always) fileprivate static func + (a: Sums, b: Sums) -> Sums { Sums(x: a.x &+ b.x, y: a.y &+ b.y) }
  }

  /// For each word, the sums of the passing points before the word. The code that creates a `PassingMeans` must
  /// deallocate this memory.
  let before: UnsafeMutablePointer<Sums>

  /// Number that is added, modulo 2^32, to the x of each point before sums are computed. The number is half the world
  /// for nodes across the seam, and 0 for other nodes. The seam is the meridian at which the plane begins and ends.
  let turn: UInt32

  init(before: UnsafeMutablePointer<Sums>, turn: UInt32) { (self.before, self.turn) = (before, turn) }

  static let bytesPerWord = MemoryLayout<Sums>.stride

  /// - Parameter look: Called about every millisecond; throws to stop the work.
  /// - Complexity: O(pointCount)
  init<Failure: Error>(of selection: Selection, turnedBy turn: UInt32, looking look: () throws(Failure) -> Void)
    throws(Failure)
  {
    self.turn = turn
    before = .allocate(capacity: selection.wordCount)
    let points = selection.storage.points
    var total = Sums()
    for word in 0..<selection.wordCount {
      if word & (Cancellation.wordsPerLook &- 1) == 0 {
        do throws(Failure) { try look() } catch {
          before.deallocate()
          throw error
        }
      }
      before[word] = total
      total.add(selection.words[word].bits, of: points + word << 6, turn)
    }
  }

  /// Creates the sums from the sums of another selection that differs in few points.
  ///
  /// - Complexity: O(pointCount / 64 + number of points that pass only one of the selections)
  init(of selection: Selection, from other: PassingMeans, of previous: Selection) {
    turn = other.turn
    before = .allocate(capacity: selection.wordCount)
    let points = selection.storage.points
    var (entered, left) = (Sums(), Sums())
    for word in 0..<selection.wordCount {
      before[word] = other.before[word] + entered - left
      let (new, old) = (selection.words[word].bits, previous.words[word].bits)
      if new == old { continue }
      entered.add(new & ~old, of: points + word << 6, turn)
      left.add(old & ~new, of: points + word << 6, turn)
    }
  }

  /// Returns the sums of the passing points in a range. Coordinates are measured from `corner`, which lies west and
  /// north of these points.
  ///
  /// - Complexity: O(1): reads at most 127 points.
  @inline(__always) func sums(
    of range: Range<Int>, count: Int, from corner: PlanePoint, of passing: PassingPoints, in storage: TreeStorage
  ) -> NodeSums {
    let (first, last) = (range.lowerBound >> 6, range.upperBound >> 6)
    let notBefore = UInt64.max &<< UInt64(range.lowerBound & 63)
    let before = 1 &<< UInt64(range.upperBound & 63) &- 1
    var sums = Sums()
    if first == last {
      sums.add(passing.words[first].bits & notBefore & before, of: storage.points + first << 6, turn)
    } else {
      sums = self.before[last] - self.before[first + 1]
      sums.add(passing.words[first].bits & notBefore, of: storage.points + first << 6, turn)
      sums.add(passing.words[last].bits & before, of: storage.points + last << 6, turn)
    }
    let count = UInt64(count)
    return NodeSums(
      x: sums.x &- count &* UInt64(corner.x &+ turn), y: sums.y &- count &* UInt64(corner.y))
  }
}
