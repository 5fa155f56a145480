// How far the map zooms when a cluster is chosen.

/** Number of zoom levels of a step, unless the cluster fills the map before, or has fewer than three parts there. */
const LEVELS = 2;

/**
 * Returns the zoom at which a chosen cluster has fallen into three parts or more: far enough that the step is seen, and
 * not so far that the points no longer fit on the map.
 *
 * @param {{now: number, two: number, three: number, filling: number}} zooms The zoom of the map, the zooms from which
 *   the cluster has two and three parts, and the zoom at which its points fill the map.
 */
export const stepZoom = ({ now, two, three, filling }) => Math.max(two, Math.min(Math.max(three, now + LEVELS), filling));
