#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import SwiftUI
  import TreelineMap

  /// A round badge with a number, or the dot of a single point. Both have the tint color, and a ring in the color of
  /// the background. The selected badge is larger. An area of at least 44 by 44 points reacts to taps.
  public struct ClusterBadge: View {
    private let badge: MapModel.Badge

    /// Creates the view of a badge.
    public init(_ badge: MapModel.Badge) { self.badge = badge }

    /// The disc, its ring, and the number.
    public var body: some View {
      let ring = min(2, badge.diameter / 6)
      ZStack {
        Circle().fill(.background)
        Circle().fill(.tint).padding(ring)
        if let number = badge.number {
          Text(number).font(.caption.bold()).foregroundStyle(.white).lineLimit(1).minimumScaleFactor(0.5).padding(ring)
        }
      }
      .frame(width: badge.diameter, height: badge.diameter)
      .scaleEffect(badge.isSelected ? 1.25 : 1)
      .opacity(badge.opacity)
      .frame(minWidth: TapTarget.least, minHeight: TapTarget.least)
      .contentShape(Rectangle())
      .accessibilityElement()
      .accessibilityLabel(badge.accessibilityLabel)
      .accessibilityAddTraits(.isButton)
      .accessibilityAddTraits(badge.isSelected ? .isSelected : .isButton)
      .accessibilityHidden(badge.isLeaving)
    }
  }
#endif
