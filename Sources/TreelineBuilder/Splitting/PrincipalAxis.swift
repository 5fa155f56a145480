#if LAPACKE && canImport(Glibc)
  import CLAPACKE
#endif
import Treeline

/// The direction in which some points vary most, as a vector of integers.
///
/// The longer component is 2^29, so that the dot product with any vector of two 32-bit distances fits into Int64. The
/// shorter component is the greatest integer that does not turn the axis past the true direction. First, an
/// eigenvector is computed, which gives this integer approximately. Then exact arithmetic decides the last bit. So the
/// axis does not depend on whether LAPACK computed the eigenvector, or on how LAPACK rounds.
package struct PrincipalAxis: Hashable, Sendable {
  var x: Int64
  var y: Int64

  static let length: Int64 = 1 << 29
  static let horizontal = PrincipalAxis(x: length, y: 0)
  static let vertical = PrincipalAxis(x: 0, y: length)

  init(x: Int64, y: Int64) { (self.x, self.y) = (x, y) }

  /// Finds the principal axis of points with this scatter; nil if the points vary equally in all directions.
  ///
  /// The eigenvector is computed from the covariance matrix minus its mean eigenvalue. The resulting matrix has the
  /// same eigenvectors, and its eigenvalues are r and -r. So the eigenvector is accurate even if both eigenvalues of
  /// the covariance matrix are nearly equal.
  @inline(__always) init?(of scatter: Scatter, by solver: Solver = .standard) {
    let difference = scatter.xx &- scatter.yy
    let double = scatter.xy << 1
    if difference == 0 && double == 0 { return nil }
    // Keeps 62 bits of both numbers, however large they are. Only these bits determine the axis.
    let excess = Swift.max(0, 128 - 62 - (difference.magnitude | double.magnitude).leadingZeroBitCount)
    self.init(
      difference: Int64(truncatingIfNeeded: difference >> excess), double: Int64(truncatingIfNeeded: double >> excess),
      by: solver)
  }

  /// Method that finds an approximate direction. The exact axis is determined afterwards, so all methods lead to the
  /// same axis.
  package enum Solver: CaseIterable, Sendable {
    #if LAPACKE && canImport(Glibc)
      /// The eigenvector from LAPACK.
      case lapack
      package static let standard = lapack
    #else
      package static let standard = halfAngle
    #endif
    /// The formula for half an angle. This method is used on platforms without LAPACK, and for nodes within buckets.
    /// Most nodes are within buckets. For such a node, a call of LAPACK would take as long as all other work.
    case halfAngle
  }

  /// Finds the axis whose angle is half the angle of the vector (`difference`, `double`). The vector must not be zero.
  @inline(__always) init(difference: Int64, double: Int64, by solver: Solver = .standard) {
    let (a, b) = (Double(difference), Double(double))
    let isFlat = difference >= 0
    let slope =
      switch solver {
      #if LAPACKE && canImport(Glibc)
        case .lapack: Self.slope(of: Self.eigenvector(a, b), isFlat)
      #endif
      case .halfAngle: b / (abs(a) + (a * a + b * b).squareRoot())
      }
    self.init(isFlat: isFlat, shorter: Int64((slope * Double(Self.length)).rounded(.down)))
    settle(difference, double, isFlat)
  }

  /// Finds the axis along a vector that is not zero. The sign is chosen so that the longer component is positive. If
  /// both components have equal lengths, x counts as the longer component. The shorter component is rounded down.
  @inline(__always) init(along x: Double, _ y: Double) {
    let isFlat = abs(x) >= abs(y)
    let slope = Self.slope(of: (x, y), isFlat)
    self.init(isFlat: isFlat, shorter: Int64(floor: slope * Double(Self.length)))
  }

  /// Returns the shorter component of a vector whose longer component is scaled to 1.
  private static func slope(of vector: (x: Double, y: Double), _ isFlat: Bool) -> Double {
    isFlat ? vector.y / vector.x : vector.x / vector.y
  }

  private init(isFlat: Bool, shorter: Int64) {
    self.init(x: isFlat ? Self.length : shorter, y: isFlat ? shorter : Self.length)
  }

  #if LAPACKE && canImport(Glibc)
    /// Returns the eigenvector of the larger eigenvalue of ((a, b), (b, -a)).
    ///
    /// A symmetric matrix of two rows is already tridiagonal. So LAPACK's solver for tridiagonal matrices is called
    /// directly, which needs no reduction and no allocation.
    private static func eigenvector(_ a: Double, _ b: Double) -> (x: Double, y: Double) {
      // The memory for LAPACK: the diagonal of the matrix (2 numbers), the entry beside the diagonal (1 number), the
      // eigenvectors, column by column (4 numbers), and the solver's work space (2 numbers).
      var space = (a, -a, b, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      let status = withUnsafeMutableBytes(of: &space) { bytes in
        let space = bytes.baseAddress!.assumingMemoryBound(to: Double.self)
        return LAPACKE_dsteqr_work(
          LAPACK_COL_MAJOR, CChar(UInt8(ascii: "I")), 2, space, space + 2, space + 3, 2, space + 7)
      }
      precondition(
        status == 0, "LAPACKE_dsteqr_work failed with status \(status) for the matrix ((\(a), \(b)), (\(b), \(-a)))")
      return (space.5, space.6)
    }
  #endif

  /// Sets the shorter component of the axis to the greatest integer that does not turn the axis past the true
  /// direction. The component is changed in steps of 1.
  @inline(never) private mutating func settle(_ difference: Int64, _ double: Int64, _ isFlat: Bool) {
    for _ in 0..<Self.stepsToSettle {
      if isPast(difference, double, isFlat, shift: 0) {
        move(by: -1, isFlat)
      } else if !isPast(difference, double, isFlat, shift: 1) {
        move(by: 1, isFlat)
      } else {
        return
      }
    }
    preconditionFailure("Expected an eigenvector of ((\(difference), \(double)), …)")
  }

  /// Greatest number of steps. If the eigenvector is accurate, at most one step is needed.
  private static let stepsToSettle = 16

  private mutating func move(by step: Int64, _ isFlat: Bool) { if isFlat { y += step } else { x += step } }

  /// Returns whether adding `shift` to the shorter component turns the axis past the true direction. Computes a vector
  /// with twice the angle of the axis, and a vector with twice the angle of the true direction. The sign of the cross
  /// product of these two vectors gives the answer. The cross product is exact in 128 bits.
  private func isPast(_ difference: Int64, _ double: Int64, _ isFlat: Bool, shift: Int64) -> Bool {
    let (x, y) = isFlat ? (x, y + shift) : (x + shift, y)
    let cross = Int128(x * x - y * y) * Int128(double) - Int128(2 * x * y) * Int128(difference)
    return isFlat ? cross < 0 : cross > 0
  }
}
