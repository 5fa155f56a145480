/// Text as it stands in HTML and SVG, between tags or in a quoted attribute.
func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "'": result += "&#39;"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// A length in a picture, to 0.1 px and without what says nothing: 12, -3.5.
func coordinate(_ value: Double) -> String {
  let text = fixed(value, 1)
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// Titles one after the other, as they are read: `A, B and C`.
func enumeration(of titles: [String]) -> String {
  guard let last = titles.last else { return "" }
  let rest = titles.dropLast()
  return rest.isEmpty ? last : rest.joined(separator: ", ") + " and " + last
}

/// How many colours there are for methods; more methods begin anew.
let colourCount = 8
