#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// A round badge with a number, or the dot of a single point, in the tint color within a ring that contrasts with it,
  /// in light and dark mode.
  ///
  /// To draw another, subclass it, or return a view of your own from `MapViewAdapterDelegate`.
  open class ClusterBadgeView: MKAnnotationView {
    private let disc = UIView(frame: .zero)
    private let label = UILabel(frame: .zero)

    /// Badges by this identifier are reused.
    public static let reuseIdentifier = "TreelineBadge"

    /// Around the disc, in points.
    static let ringWidth: CGFloat = 2

    /// The least width and height of what a finger hits, in points, as the Human Interface Guidelines have it.
    static let leastTarget: CGFloat = 44

    public override init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
      super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
      // Colors are asked for on threads that draw, too: a closure of the main actor's would trap there.
      backgroundColor = UIColor { @Sendable traits in traits.userInterfaceStyle == .dark ? .black : .white }
      disc.backgroundColor = .tintColor
      disc.isUserInteractionEnabled = false
      label.textColor = .white
      label.textAlignment = .center
      // The user's text size, as far as the badge has room.
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

    /// Shows what an annotation stands for.
    ///
    /// - Parameters:
    ///   - annotation: Whose view it is.
    ///   - number: On the badge; nil for none, as while its points are in the numbers of others.
    ///   - diameter: In points.
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

    /// What is on it now.
    var number: String? { label.text }
    var fontSize: CGFloat { label.font.pointSize }

    /// A dot is as easy to hit as a badge.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
      let more = max((Self.leastTarget - bounds.width) / 2, 0)
      return bounds.insetBy(dx: -more, dy: -more).contains(point)
    }
  }
#endif
