#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// A round badge with a number, or the dot of a single point. It has the tint color, and a ring that contrasts with
  /// the map in light and dark mode.
  ///
  /// To draw badges differently, subclass this view, or return your own view from the delegate's
  /// `mapView(_:viewFor:)`.
  open class ClusterBadgeView: MKAnnotationView {
    private let disc = UIView(frame: .zero)
    private let label = UILabel(frame: .zero)
    /// Value that `canShowCallout` had when the badge began to leave; nil if the badge is not leaving. This value is
    /// restored if the badge stays on the map after all.
    private var showsCalloutLater: Bool?

    /// Identifier for reusing badge views.
    public static let reuseIdentifier = "TreelineBadge"

    /// Width of the ring around the disc, in points.
    static let ringWidth: CGFloat = 2

    /// Minimum width and height of the area that reacts to taps, in points. The value comes from Apple's Human
    /// Interface Guidelines.
    static let leastTarget = TapTarget.least

    public override init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
      super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
      // Drawing threads also call this closure. On these threads, a closure that is isolated to the main actor would
      // trap.
      backgroundColor = UIColor { @Sendable traits in traits.userInterfaceStyle == .dark ? .black : .white }
      disc.backgroundColor = .tintColor
      disc.isUserInteractionEnabled = false
      label.textColor = .white
      label.textAlignment = .center
      // The font size follows the user's text size, up to the size that fits into the badge.
      label.font = UIFontMetrics(forTextStyle: .caption1).scaledFont(for: .systemFont(ofSize: 12, weight: .semibold))
      label.adjustsFontForContentSizeCategory = true
      label.adjustsFontSizeToFitWidth = true
      label.minimumScaleFactor = 0.5
      label.baselineAdjustment = .alignCenters
      addSubview(disc)
      addSubview(label)
      canShowCallout = true
      isAccessibilityElement = true
      accessibilityTraits = .button
    }

    public required init?(coder: NSCoder) { fatalError("A badge view is created by a map view, not from an archive") }

    /// Draws the badge of an annotation.
    ///
    /// - Parameters:
    ///   - annotation: The annotation of this view.
    ///   - number: Number on the badge; nil to show no number, for example while other badges count the points of this
    ///     badge.
    ///   - diameter: Diameter in points.
    open func show(_ annotation: ClusterAnnotation, number: String?, diameter: CGFloat) {
      draw(number: number, diameter: diameter)
      zPriority = annotation.badge.isAbove ? .max : .defaultUnselected
      setLeaving(annotation.badge.isLeaving)
    }

    /// Turns the callout off while the badge is leaving. Restores `canShowCallout` if the badge stays on the map after
    /// all.
    private func setLeaving(_ isLeaving: Bool) {
      guard isLeaving != (showsCalloutLater != nil) else { return }
      (showsCalloutLater, canShowCallout) = isLeaving ? (canShowCallout, false) : (nil, showsCalloutLater ?? true)
    }

    open override func prepareForReuse() {
      super.prepareForReuse()
      setLeaving(false)
    }

    func draw(number: String?, diameter: CGFloat) {
      bounds = CGRect(x: 0, y: 0, width: diameter, height: diameter)
      layer.cornerRadius = diameter / 2
      let ring = min(Self.ringWidth, diameter / 6)
      disc.frame = bounds.insetBy(dx: ring, dy: ring)
      disc.layer.cornerRadius = disc.bounds.width / 2
      label.frame = disc.frame.insetBy(dx: disc.bounds.width / 10, dy: 0)
      label.text = number
    }

    /// Number on the badge.
    var number: String? { label.text }
    var fontSize: CGFloat { label.font.pointSize }

    /// Returns whether a tap hits the badge. A dot or a small badge reacts to taps in an area of at least 44 by 44
    /// points.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
      let more = max((Self.leastTarget - bounds.width) / 2, 0)
      return bounds.insetBy(dx: -more, dy: -more).contains(point)
    }
  }
#endif
