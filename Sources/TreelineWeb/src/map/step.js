// How far the map zooms when a cluster is chosen.

/**
 * Number of zoom levels of a step. The step is smaller if the points would not fit on the map, and larger if the
 * cluster would have fewer than three parts.
 */
const LEVELS = 2;

/**
 * Returns the zoom for a chosen cluster. There it has three parts or more, the step is large enough to be seen, and the
 * points still fit on the map.
 *
 * @param {{now: number, two: number, three: number, filling: number}} zooms The zoom of the map, the zooms from which
 *   the cluster has two and three parts, and the zoom at which its points fill the map.
 */
export const stepZoom = ({ now, two, three, filling }) => Math.max(two, Math.min(Math.max(three, now + LEVELS), filling));
