@_exported import Foundation

/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {
  public override init() { super.init() }
}

/// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
  open var frame: CGRect {
    get {
      CGRect(
        x: center.x - bounds.width / 2, y: center.y - bounds.height / 2, width: bounds.width, height: bounds.height)
    }
    set {
      bounds.size = newValue.size
      center = CGPoint(x: newValue.midX, y: newValue.midY)
    }
  }
  open var bounds = CGRect.zero
  open var center = CGPoint.zero
  open var alpha: CGFloat = 1
  open var transform = CGAffineTransform.identity
  open var isHidden = false
  open var backgroundColor: UIColor?
  open var tintColor: UIColor! = .systemBlue
  open var isUserInteractionEnabled = true
  public let layer = CALayer()
  public private(set) var subviews: [UIView] = []
  public private(set) weak var superview: UIView?

  /// https://developer.apple.com/documentation/objectivec/nsobject-swift.class/isaccessibilityelement
  open var isAccessibilityElement = false
  open var accessibilityLabel: String?
  open var accessibilityValue: String?
  open var accessibilityHint: String?
  open var accessibilityTraits: UIAccessibilityTraits = .none

  /// https://developer.apple.com/documentation/uikit/uiview/init(frame:)
  public init(frame: CGRect) {
    super.init()
    self.frame = frame
  }

  public convenience override init() { self.init(frame: .zero) }

  /// https://developer.apple.com/documentation/uikit/uiview/init(coder:)
  public required init?(coder: NSCoder) { super.init() }

  /// https://developer.apple.com/documentation/uikit/uiview/autoresizing
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleWidth = AutoresizingMask(rawValue: 1 << 1)
    public static let flexibleHeight = AutoresizingMask(rawValue: 1 << 4)
  }
  open var autoresizingMask: AutoresizingMask = []

  /// https://developer.apple.com/documentation/uikit/uiview/layoutmargins
  open var layoutMargins = UIEdgeInsets.zero

  open func addSubview(_ view: UIView) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
  }

  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  /// https://developer.apple.com/documentation/uikit/uiview/point(inside:with:)
  open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }

  /// https://developer.apple.com/documentation/uikit/uitraitenvironment/traitcollection
  open var traitCollection: UITraitCollection { UITraitCollection(userInterfaceStyle: .light) }

  private var traitHandlers: [() -> Void] = []

  /// https://developer.apple.com/documentation/uikit/uitraitchangeobservable/registerfortraitchanges(_:handler:)
  @discardableResult public func registerForTraitChanges<TraitEnvironment: UITraitEnvironment>(
    _ traits: [UITrait], handler: @escaping (TraitEnvironment, UITraitCollection) -> Void
  ) -> any UITraitChangeRegistration {
    traitHandlers.append { [unowned self] in handler(self as! TraitEnvironment, traitCollection) }
    return Registration()
  }

  /// Only in the stub: reports that traits have changed.
  public func changeTraits() { for handler in traitHandlers { handler() } }

  open func setNeedsLayout() {}
  open func layoutSubviews() {}
}

/// https://developer.apple.com/documentation/uikit/uicontrol
@MainActor open class UIControl: UIView {}

extension UIView: UITraitEnvironment {
  /// https://developer.apple.com/documentation/uikit/uiview/animationoptions
  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
    public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
    public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
  }

  /// https://developer.apple.com/documentation/uikit/uiview/animate(withduration:delay:options:animations:completion:)
  public class func animate(
    withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
    animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
  ) {
    AnimationRecord.begin(duration: duration, options: options, completion: completion)
    animations()
    AnimationRecord.end()
  }

  /// https://developer.apple.com/documentation/uikit/uiview/performwithoutanimation(_:)
  public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) {
    AnimationRecord.withoutAnimation(actionsWithoutAnimation)
  }
}

/// Only in the stub: records the requested animations. No animation ends on its own.
@MainActor public enum AnimationRecord {
  public struct Animation {
    public let duration: TimeInterval
    public let options: UIView.AnimationOptions
    let completion: ((Bool) -> Void)?
  }

  /// Animations that have not ended yet, in the order in which they began.
  public private(set) static var running: [Animation] = []

  /// Duration of the animation whose changes are being described; nil outside of a description.
  public private(set) static var current: TimeInterval?

  static func begin(duration: TimeInterval, options: UIView.AnimationOptions, completion: ((Bool) -> Void)?) {
    running.append(Animation(duration: duration, options: options, completion: completion))
    current = duration
  }

  static func end() { current = nil }

  static func withoutAnimation(_ actions: () -> Void) {
    let before = current
    current = nil
    actions()
    current = before
  }

  /// Ends all running animations.
  public static func finishAll(_ finished: Bool = true) {
    let ended = running
    running = []
    for animation in ended { animation.completion?(finished) }
  }
}
