/// https://developer.apple.com/documentation/quartzcore/calayer
@MainActor public final class CALayer {
  public var cornerRadius: CGFloat = 0
  public var masksToBounds = false
}

/// https://developer.apple.com/documentation/uikit/uicolor
public final class UIColor: NSObject, @unchecked Sendable {
  /// Of the stub alone: as what it was made.
  public let name: String

  init(name: String) { self.name = name }

  public static let systemBackground = UIColor(name: "systemBackground")
  public static let systemBlue = UIColor(name: "systemBlue")
  public static let tintColor = UIColor(name: "tintColor")
  public static let white = UIColor(name: "white")

  public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(name: "\(name), alpha \(alpha)") }
}

/// https://developer.apple.com/documentation/uikit/uifont
public final class UIFont: NSObject, @unchecked Sendable {
  public let pointSize: CGFloat

  init(pointSize: CGFloat) { self.pointSize = pointSize }

  /// https://developer.apple.com/documentation/uikit/uifont/weight
  public struct Weight: Sendable {
    public static let semibold = Weight()
  }

  /// https://developer.apple.com/documentation/uikit/uifont/textstyle
  public struct TextStyle: Hashable, Sendable {
    let name: String
    public static let caption1 = TextStyle(name: "caption1")
  }

  /// https://developer.apple.com/documentation/uikit/uifont/systemfont(ofsize:weight:)
  public class func systemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont { UIFont(pointSize: fontSize) }
}

/// https://developer.apple.com/documentation/uikit/uifontmetrics
@MainActor public final class UIFontMetrics {
  /// Of the stub alone: the factor of the size that the user has set.
  public static var textScale: CGFloat = 1

  public init(forTextStyle textStyle: UIFont.TextStyle) {}

  /// https://developer.apple.com/documentation/uikit/uifontmetrics/scaledfont(for:)
  public func scaledFont(for font: UIFont) -> UIFont { UIFont(pointSize: font.pointSize * Self.textScale) }

  /// https://developer.apple.com/documentation/uikit/uifontmetrics/scaledvalue(for:)
  public func scaledValue(for value: CGFloat) -> CGFloat { value * Self.textScale }
}

/// https://developer.apple.com/documentation/uikit/nstextalignment
public enum NSTextAlignment: Int { case left, center, right, justified, natural }

/// https://developer.apple.com/documentation/uikit/uibaselineadjustment
public enum UIBaselineAdjustment: Int { case alignBaselines, alignCenters, none }

/// https://developer.apple.com/documentation/uikit/uilabel
@MainActor open class UILabel: UIView {
  open var text: String?
  open var font: UIFont! = UIFont(pointSize: 17)
  open var textColor: UIColor! = .white
  open var textAlignment = NSTextAlignment.natural
  open var adjustsFontSizeToFitWidth = false
  open var minimumScaleFactor: CGFloat = 0
  open var baselineAdjustment = UIBaselineAdjustment.alignBaselines
  /// https://developer.apple.com/documentation/uikit/uicontentsizecategoryadjusting/adjustsfontforcontentsizecategory
  open var adjustsFontForContentSizeCategory = false
}

/// https://developer.apple.com/documentation/uikit/uiaccessibilitytraits
public struct UIAccessibilityTraits: OptionSet, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static let none = UIAccessibilityTraits([])
  public static let button = UIAccessibilityTraits(rawValue: 1)
}

/// https://developer.apple.com/documentation/uikit/uiaccessibility
@MainActor public enum UIAccessibility {
  /// https://developer.apple.com/documentation/uikit/uiaccessibility/isreducemotionenabled
  public internal(set) static var isReduceMotionEnabled = false

  /// Of the stub alone: what the user has set.
  public static func setReduceMotion(_ isEnabled: Bool) { isReduceMotionEnabled = isEnabled }
}

/// https://developer.apple.com/documentation/uikit/uiedgeinsets
public struct UIEdgeInsets: Equatable, Sendable {
  public var top, left, bottom, right: CGFloat
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }
}

/// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
  open var view: UIView! = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
  open func viewDidLoad() {}
}
