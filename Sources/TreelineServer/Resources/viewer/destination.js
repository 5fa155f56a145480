// Where a moving map is going. While the map zooms out, the viewer asks for the clusters of the last view at once, not
// for the clusters of each view on the way. So badges start to merge when the motion starts.

/**
 * Returns the last view of a motion that starts now.
 *
 * @param options Options of the map library for the motion.
 */
function endOf(map, { center, zoom = map.getZoom(), around }) {
  const [now, end] = [map.getZoom(), Math.min(Math.max(zoom, map.getMinZoom()), map.getMaxZoom())];
  const { LngLat, MercatorCoordinate } = maplibregl;
  if (center) return { center: LngLat.convert(center).wrap(), zoom: end };
  if (!around) return { center: map.getCenter(), zoom: end };
  // The position `around` stays where it is on the screen.
  const [fixed, middle] = [LngLat.convert(around), map.getCenter()].map((at) => MercatorCoordinate.fromLngLat(at));
  const factor = 2 ** (now - end);
  const [x, y] = [fixed.x + (middle.x - fixed.x) * factor, fixed.y + (middle.y - fixed.y) * factor];
  return { center: new MercatorCoordinate(x, Math.min(Math.max(y, 0), 1), 0).toLngLat().wrap(), zoom: end };
}

export class Destination {
  #end = null;

  constructor(map) {
    this.map = map;
    for (const name of ["easeTo", "flyTo"]) {
      const start = map[name];
      map[name] = (options, data) => {
        const end = endOf(map, options);
        start.call(map, options, data);
        this.#end = map.isMoving() ? end : null;
        return map;
      };
    }
    map.on("moveend", () => (this.#end = null));
  }

  /** The center and the zoom of the last view of the running motion; null if the view is not known. */
  get end() {
    return this.#end ?? this.#endOfWheel;
  }

  /**
   * The view to which a mouse wheel zooms. The map library has no method for this, so this method reads fields of the
   * library. If the next version of the library renames the fields, badges merge later, but nothing else changes.
   */
  get #endOfWheel() {
    const { _targetZoom: zoom, _aroundPoint: point } = this.map.scrollZoom ?? {};
    return zoom === undefined || !point ? null : endOf(this.map, { zoom, around: this.map.unproject(point) });
  }
}
