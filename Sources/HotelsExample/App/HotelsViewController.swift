#if canImport(UIKit) && canImport(SwiftUI)
  import MapKit
  import SwiftUI
  import Treeline
  import TreelineMapKit

  /// The hotels on an `MKMapView`.
  final class HotelsViewController: UIViewController {
    private let mapView = MKMapView(frame: .zero)
    private let hotels: ClusterMap<Hotel>
    private var adapter: MapViewAdapter?

    init(_ hotels: ClusterMap<Hotel>) {
      self.hotels = hotels
      super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("The view controller is created in code, not from an archive") }

    override func viewDidLoad() {
      super.viewDidLoad()
      mapView.frame = view.bounds
      mapView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.addSubview(mapView)
      var texts = BadgeTexts(hotels, title: { $0.name })
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount.formatted()) hotels" }
      var options = MapViewAdapter.Options()
      options.ellipses = .selected
      let adapter = MapViewAdapter(mapView, tree: hotels.tree, cut: .badges(), texts: texts, options: options)
      adapter.delegate = self
      mapView.delegate = adapter
      self.adapter = adapter
    }
  }

  extension HotelsViewController: MapViewAdapterDelegate {
    func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation) {
      if let row = annotation.row { print(hotels.values[row].name) }
    }

    func adapter(_ adapter: MapViewAdapter, didFail error: any Error) { print(error) }
  }

  /// The view controller wrapped for SwiftUI.
  struct HotelsMapView: UIViewControllerRepresentable {
    let hotels: ClusterMap<Hotel>

    func makeUIViewController(context: Context) -> HotelsViewController { HotelsViewController(hotels) }
    func updateUIViewController(_ controller: HotelsViewController, context: Context) {}
  }
#endif
