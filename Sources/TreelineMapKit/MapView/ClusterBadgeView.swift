#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// A round badge with a number, or the dot of a single point. It has the tint color within a contrasting ring, in
  /// light and dark mode.
  ///
  /// To draw badges in another way, subclass it or return a view of your own from `MapViewAdapterDelegate`.
  open class ClusterBadgeView: MKAnnotationView {
    private let disc = UIView(frame: .zero)
    private let label = UILabel(frame: .zero)

    /// Identifier by which badge views are reused.
    public static let reuseIdentifier = "TreelineBadge"

    /// Width of the ring around the disc, in points.
    static let ringWidth: CGFloat = 2

    /// Minimum width and height of the tappable area, in points, from the Human Interface Guidelines.
    static let leastTarget: CGFloat = 44

    public override init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
      super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
      // Drawing threads resolve the color, too. A closure isolated to the main actor would trap there.
      backgroundColor = UIColor { @Sendable traits in traits.userInterfaceStyle == .dark ? .black : .white }
      disc.backgroundColor = .tintColor
      disc.isUserInteractionEnabled = false
      label.textColor = .white
      label.textAlignment = .center
      // Follows the user's text size, as far as the badge has room.
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

    public required init?(coder: NSCoder) { fatalError("A badge is made by a map view, not from an archive") }

    /// Shows the badge of an annotation.
    ///
    /// - Parameters:
    ///   - annotation: Annotation of this view.
    ///   - number: Number on the badge; nil for a badge without a number, for example while other badges count its
    ///     points.
    ///   - diameter: Diameter in points.
    open func show(_ annotation: ClusterAnnotation, number: String?, diameter: CGFloat) {
      draw(number: number, diameter: diameter)
      zPriority = annotation.badge.isAbove ? .max : .defaultUnselected
      canShowCallout = !annotation.badge.isLeaving
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

    /// Makes a dot as easy to tap as a badge.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
      let more = max((Self.leastTarget - bounds.width) / 2, 0)
      return bounds.insetBy(dx: -more, dy: -more).contains(point)
    }
  }
#endif
