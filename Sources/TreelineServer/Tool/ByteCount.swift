import ArgumentParser

/// A number of bytes, optionally with a unit. For example, `500M` means 500 times 2^20 bytes.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    let digits = argument.prefix { "0"..."9" ~= $0 }
    let shifts = ["": 0, "K": 10, "M": 20, "G": 30, "T": 40]
    guard let number = Int(digits), let shift = shifts[argument[digits.endIndex...].uppercased()],
      number <= Int.max >> shift
    else { return nil }
    bytes = number << shift
  }
}
