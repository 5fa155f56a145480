"""Compares the colors of the viewer's badges with the density of the points around them."""

import statistics

# Returns, for each cluster in view, its tone and the number of points within a circle of a square centimeter. Clusters
# of points that are less than a pixel apart stand for the points.
TONES = """async () => {
  const {clusters} = viewer.tree.scene, camera = viewer.camera, radius = Math.sqrt((96 / 2.54) ** 2 / Math.PI);
  const [width, height] = [camera.width, camera.height];
  const query = {center: `${camera.longitude},${camera.latitude}`, zoom: camera.zoom + 1, width, height, detail: 2};
  const {features} = await viewer.source.clusters(viewer.index.name, query);
  const {worldX, worldY} = await import('/viewer/vendor/treeline/map/mercator.js');
  const points = features.map(({geometry: {coordinates: [x, y]}, properties}) =>
    ({...camera.point(worldX(x), worldY(y)), count: properties.point_count}));
  return clusters.filter(({count}) => count > 1).map(({x, y, tone}) => ({tone, at: camera.point(x, y)}))
    .filter(({at}) => at.x > 0 && at.y > 0 && at.x < width && at.y < height)
    .map(({tone, at}) => [tone, points.reduce((sum, {x, y, count}) => sum + (Math.hypot(x - at.x, y - at.y) < radius ? count : 0), 0)]);
}"""


def darkness(page):
    """Returns the rank correlation (Spearman) of tone and density in the current view, and the number of clusters."""
    told = page.evaluate(TONES)
    return rank_correlation(*zip(*told)) if len(told) > 2 else None, len(told)


def rank_correlation(one, other):
    def ranks(values):
        return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]
    try:
        return statistics.correlation(ranks(one), ranks(other))
    except statistics.StatisticsError:
        return None
