// How dense a cluster is, and which tone of the ramp that is: one scale for all of an index, at every zoom and in
// tiles.

import { AREA_DEVIATIONS, LEAST_WIDTH } from "./constants.js";
import { boxSize } from "./mercator.js";

/** Of so few points an ellipse says less than their number. */
export const FEWEST_FOR_ELLIPSE = 4;

/**
 * The square kilometres that the points of a cluster cover, 0 for a stack: those of the ellipse that follows them,
 * which an outlier hardly stretches.
 */
export function coveredArea(feature) {
  const { area_km2: area, ellipse_meters: ellipse } = feature.properties;
  // Tiles have the area in place of the ellipse.
  if (area !== undefined) return area;
  const [one, other] = ellipse ? [ellipse[0] / 1000, ellipse[1] / 1000] : feature.bbox ? deviations(feature) : [0, 0];
  // A street is not taken to be ever so slim, or it would be denser than any square.
  const least = LEAST_WIDTH * Math.max(one, other);
  return Math.PI * AREA_DEVIATIONS ** 2 * Math.max(one, least) * Math.max(other, least);
}

/**
 * The standard deviations in kilometres of points of which only their mean and the box around them are known, as of a
 * cell of the grid: right for points that lie evenly, and small where the mean lies at an edge, as an outlier stretches
 * the box alone.
 *
 * Source: R. Bhatia, C. Davis, A Better Bound on the Variance (2000), https://doi.org/10.1080/00029890.2000.12005203:
 * it is at most the product of the distances from the mean to both ends. Of even points it is a third of that.
 */
function deviations({ bbox, geometry: { coordinates: [longitude, latitude] } }) {
  const [west, south, east, north] = bbox;
  const { width, height } = boxSize(bbox);
  const across = east === west ? 0 : ((longitude - west + 360) % 360) / ((east - west + 360) % 360);
  const up = north === south ? 0 : (latitude - south) / (north - south);
  const share = (of) => Math.sqrt(Math.max(of * (1 - of), 0) / 3);
  return [width * share(across), height * share(up)];
}

const ascending = (values) => values.sort((a, b) => a - b);

/** The value below which lies a share of some in ascending order. */
const at = (values, share) => values[Math.round(share * (values.length - 1))];

/** Which tone a cluster has, as the logarithm of its density rises. */
export class Tones {
  /**
   * @param features Some clusters of the whole index, of about equal numbers of points.
   * @param count How many tones there are.
   */
  constructor(features, count) {
    this.count = count;
    const covered = features.map((feature) => [feature.properties.point_count, coveredArea(feature)]);
    const plain = ascending(covered.filter(([, area]) => area > 0).map(([count, area]) => count / area));
    // What a point has to itself where the index is sparse. No cluster is taken to cover less: three points at one
    // position are three points in one place, and not the densest place on Earth.
    this.ground = 1 / (at(plain, 0.25) ?? 1);
    const densities = ascending(covered.filter(([count]) => count > 1).map(([count, area]) => count / (area + this.ground)));
    this.low = Math.log10(at(densities, 0.02) ?? 1);
    // Closer up there is little that is denser: smaller clusters cover no less than that ground.
    this.high = Math.max(Math.log10(at(densities, 1) ?? 1), this.low + 1.5);
  }

  /** The tone of so many points on an area of square kilometres, from 0. */
  of(count, area) {
    const share = (Math.log10(count / (area + this.ground)) - this.low) / (this.high - this.low);
    return Math.round(Math.min(Math.max(share, 0), 1) * (this.count - 1));
  }

  /** The same as an expression of the map library's. */
  expression(count, area) {
    const density = ["/", count, ["+", area, this.ground]];
    const share = ["/", ["-", ["log10", density], this.low], this.high - this.low];
    return ["round", ["*", this.count - 1, ["max", 0, ["min", 1, share]]]];
  }
}
