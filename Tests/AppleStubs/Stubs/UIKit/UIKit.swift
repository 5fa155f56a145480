/// https://developer.apple.com/documentation/quartzcore/calayer
@MainActor public final class CALayer {
  public var cornerRadius: CGFloat = 0
  public var masksToBounds = false
}

/// https://developer.apple.com/documentation/corefoundation/cgaffinetransform
public struct CGAffineTransform: Equatable, Sendable {
  public var a, b, c, d, tx, ty: CGFloat
  public init(scaleX sx: CGFloat, y sy: CGFloat) { (a, b, c, d, tx, ty) = (sx, 0, 0, sy, 0, 0) }
  public static let identity = CGAffineTransform(scaleX: 1, y: 1)
}

/// https://developer.apple.com/documentation/uikit/uievent
@MainActor public final class UIEvent: NSObject {}

extension ProcessInfo {
  /// https://developer.apple.com/documentation/foundation/processinfo/isiosapponmac
  public var isiOSAppOnMac: Bool { Self.isOnMac }

  /// Only in the stub: whether the app runs on a Mac.
  nonisolated(unsafe) public static var isOnMac = false
}

/// https://developer.apple.com/documentation/uikit/uiupdatelink
@MainActor public final class UIUpdateLink: NSObject {
  private let handler: (UIUpdateLink, UIUpdateInfo) -> Void

  /// https://developer.apple.com/documentation/uikit/uiupdatelink/init(view:actionhandler:)
  public init(view: UIView, actionHandler handler: @escaping (UIUpdateLink, UIUpdateInfo) -> Void) {
    self.handler = handler
    super.init()
    Self.all.append(self)
  }

  public var isEnabled = false
  public var requiresContinuousUpdates = false

  private static var all: [UIUpdateLink] = []

  /// Only in the stub: number of links that are enabled.
  public static var enabledCount: Int { all.filter(\.isEnabled).count }

  /// Only in the stub: draws a frame.
  public static func update() { for link in all where link.isEnabled { link.handler(link, UIUpdateInfo()) } }
}

/// https://developer.apple.com/documentation/uikit/uiupdateinfo
@MainActor public final class UIUpdateInfo: NSObject {}

/// https://developer.apple.com/documentation/uikit/uiuserinterfacestyle
public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }

/// https://developer.apple.com/documentation/uikit/uitraitcollection
public final class UITraitCollection: NSObject, Sendable {
  public let userInterfaceStyle: UIUserInterfaceStyle
  public init(userInterfaceStyle: UIUserInterfaceStyle) { self.userInterfaceStyle = userInterfaceStyle }
}

/// https://developer.apple.com/documentation/uikit/uitraitenvironment
@MainActor public protocol UITraitEnvironment: NSObjectProtocol {}

/// https://developer.apple.com/documentation/uikit/uitraitdefinition
public protocol UITraitDefinition {}

/// https://developer.apple.com/documentation/uikit/uitrait
public typealias UITrait = any UITraitDefinition.Type

/// https://developer.apple.com/documentation/uikit/uitraitpreferredcontentsizecategory
public struct UITraitPreferredContentSizeCategory: UITraitDefinition {}

/// https://developer.apple.com/documentation/uikit/uitraitchangeregistration
public protocol UITraitChangeRegistration: NSObjectProtocol {}

final class Registration: NSObject, UITraitChangeRegistration {}

/// https://developer.apple.com/documentation/uikit/uicolor
public final class UIColor: NSObject, @unchecked Sendable {
  /// Only in the stub: the name that it was created from.
  public let name: String
  private let provider: ((UITraitCollection) -> UIColor)?

  init(name: String) { (self.name, provider) = (name, nil) }

  /// https://developer.apple.com/documentation/uikit/uicolor/init(dynamicprovider:)
  public init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) { (name, provider) = ("", dynamicProvider) }

  /// https://developer.apple.com/documentation/uikit/uicolor/resolvedcolor(with:)
  public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor {
    provider?(traitCollection) ?? self
  }

  public static let black = UIColor(name: "black")
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
  /// Only in the stub: factor by which the user's setting enlarges text.
  public static var textScale: CGFloat = 1

  public init(forTextStyle textStyle: UIFont.TextStyle) {}

  /// https://developer.apple.com/documentation/uikit/uifontmetrics/scaledfont(for:)
  public func scaledFont(for font: UIFont) -> UIFont { UIFont(pointSize: font.pointSize * Self.textScale) }

  /// Rounds to a pixel of a third of a point.
  ///
  /// https://developer.apple.com/documentation/uikit/uifontmetrics/scaledvalue(for:compatiblewith:)
  public func scaledValue(for value: CGFloat, compatibleWith traitCollection: UITraitCollection?) -> CGFloat {
    (value * Self.textScale * 3).rounded() / 3
  }
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

  /// Only in the stub: changes the user's setting.
  public static func setReduceMotion(_ isEnabled: Bool) { isReduceMotionEnabled = isEnabled }
}

/// https://developer.apple.com/documentation/uikit/uiedgeinsets
public struct UIEdgeInsets: Equatable, Sendable {
  public var top, left, bottom, right: CGFloat
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }
  public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}

/// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
  open var view: UIView! = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))

  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/init(nibname:bundle:)
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
  public required init?(coder: NSCoder) { super.init() }

  open func viewDidLoad() {}
}
