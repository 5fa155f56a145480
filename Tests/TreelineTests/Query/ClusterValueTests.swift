import Foundation
import PointSets
import Testing
import Treeline

/// Checks the values of each cluster against its points.
@Suite struct ClusterValueTests {
  @Test(arguments: PointSet.nasty) func isRightForEveryCluster(_ set: PointSet) throws {
    let outline = try set.outline()
    let plane = outline.tree.plane
    for entry in outline.entries {
      let cluster = entry.cluster
      #expect(cluster.pointCount == cluster.range.count && cluster.plane == plane)
      #expect(cluster.isStack == (cluster.pointCount > 1 && entry.children.isEmpty))
      #expect((cluster.row == nil) == (cluster.pointCount > 1))
      #expect(cluster.bounds == plane.boundingBox(of: cluster.rect))
      #expect(cluster.coordinate == plane.coordinate(x: cluster.meanX, y: cluster.meanY))
      #expect(Double(cluster.rect.minX) <= cluster.meanX && cluster.meanX <= Double(cluster.rect.maxX))
      #expect(Double(cluster.rect.minY) <= cluster.meanY && cluster.meanY <= Double(cluster.rect.maxY))
    }
  }

  /// Checks that a view of a cluster's bounds shows the whole cluster.
  @Test(arguments: PointSet.nasty) func boundsShowTheCluster(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries {
      let window = try #require(try outline.tree.plane.window(showing: entry.cluster.bounds))
      #expect(window.contains(entry.cluster.rect), "\(entry.cluster.bounds)")
    }
  }

  /// Checks the ellipse of each cluster. Covariances are stored as `Float`, so the error of the ellipse is limited
  /// relative to its longer axis.
  @Test(arguments: PointSet.nasty) func ellipseIsThatOfTheCovariance(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries {
      let points = entry.cluster.range.map { outline.tree.position(atTreeIndex: $0) }
      let (mean, count) = ((entry.cluster.meanX, entry.cluster.meanY), Double(points.count))
      var (xx, xy, yy) = (0.0, 0.0, 0.0)
      for point in points {
        let (x, y) = (Double(point.x) - mean.0, Double(point.y) - mean.1)
        (xx, xy, yy) = (xx + x * x / count, xy + x * y / count, yy + y * y / count)
      }
      let ellipse = entry.cluster.ellipse
      let tolerance = (xx + yy) * 1e-6
      let (long, short) = (ellipse.semiMajor * ellipse.semiMajor, ellipse.semiMinor * ellipse.semiMinor)
      #expect(long.isFinite && short.isFinite && long >= short && ellipse.axisX >= 0)
      #expect(abs(hypot(ellipse.axisX, ellipse.axisY) - 1) < 1e-12)
      // Computes the covariance matrix back from the ellipse.
      let (x, y) = (ellipse.axisX, ellipse.axisY)
      #expect(abs(long * x * x + short * y * y - xx) <= tolerance, "\(entry.cluster.range)")
      #expect(abs((long - short) * x * y - xy) <= tolerance, "\(entry.cluster.range)")
      #expect(abs(long * y * y + short * x * x - yy) <= tolerance, "\(entry.cluster.range)")
    }
  }

  @Test func aPointIsNoEllipse() throws {
    for set in [PointSet.one, .coincident(50)] {
      let ellipse = try #require(set.tree().root).ellipse
      #expect(ellipse.semiMajor == 0 && ellipse.semiMinor == 0 && ellipse.axisX == 1 && ellipse.axisY == 0)
    }
  }

  @Test(arguments: [0.0, 10, 45, 89, 90, 91, 135, 170]) func ellipseFollowsALine(angle: Double) throws {
    let ellipse = try #require(PointSet.line(100, angle: angle).tree().root).ellipse
    let (x, y) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
    #expect(abs(ellipse.axisX * y - ellipse.axisY * x) < 1e-6)
    #expect(abs(ellipse.semiMajor - 1e6 * (9999.0 / 12).squareRoot()) < 100)
    #expect(ellipse.semiMinor < ellipse.semiMajor * 1e-3)
  }
}
