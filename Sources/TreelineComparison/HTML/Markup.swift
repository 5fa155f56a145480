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
