// How far the map zooms when a cluster is chosen.

/**
 * Usual number of zoom levels by which the map zooms. The map zooms less if the points would not fit on the map, and
 * more if the cluster would have fewer than three parts, or fewer than two if it never has three.
 */
const LEVELS = 2;

/**
 * Returns the zoom for a chosen cluster. At this zoom the cluster has three parts or more, the change can be seen, and
 * the points fit on the map. A cluster of two points never has three parts.
 *
 * @param {{now: number, two: number, three: number, filling: number}} zooms `now` is the zoom of the map. The cluster
 *   has two parts from the zoom `two` on, and three parts from the zoom `three` on. The points of the cluster fill the
 *   map at the zoom `filling`.
 */
export const stepZoom = ({ now, two, three, filling }) => Math.max(two, Math.min(Math.max(Number.isFinite(three) ? three : two, now + LEVELS), filling));
