#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The module's functions of the C mathematics library, in one place. Their last bit may differ between platforms; what
// is printed is rounded far above it.

func binaryLogarithm(_ x: Double) -> Double { log2(x) }

/// The direction of a vector in degrees, from -180 to 180, clockwise from x where y points down.
func degrees(x: Double, y: Double) -> Double { atan2(y, x) * (180 / .pi) }
