// Finds the open point or cluster, such as the cluster of the card, in a new version of the index. Ids and rows change
// with each version, but the keys of points of a live index do not change.

import { leastLimit } from "./cut.js";

/** Number of points by which a cluster is found again. */
const FEW = 3;

/**
 * If a cluster continues another cluster, the smaller cluster has at least this share of the number of points of the
 * larger cluster.
 */
export const LEAST_SHARE = 0.5;

/** Returns the key of a point of a live index; undefined if the index is not live. */
export const keyOf = (index, properties) => (index.key === undefined ? undefined : (properties?.[index.key] ?? undefined));

/**
 * Returns the rows of the points with some keys, in the order of the keys, without points that no longer exist or do
 * not pass the filter of a query.
 */
async function rowsOf(source, index, keys, query = {}) {
  const literal = (key) => (typeof key === "number" ? String(key) : `'${key.replaceAll("'", "''")}'`);
  const hasKey = `"${index.key.replaceAll('"', '""')}" IN (${keys.map(literal).join(", ")})`;
  const filter = query.filter ? `${query.filter} AND ${hasKey}` : hasKey;
  const { features: roots } = await source.clusters(index.name, { limit: leastLimit(index), filter });
  const rows = new Map();
  for (const root of roots) {
    const { features } = await source.members(index.name, root.properties.cluster_id, { limit: keys.length, filter });
    for (const { properties } of features) rows.set(properties[index.key], properties.index);
  }
  return keys.filter((key) => rows.has(key)).map((key) => rows.get(key));
}

/** Returns the row of the point with a key; null if the point no longer exists. */
export async function rowOf(source, index, key) {
  return (await rowsOf(source, index, [key]))[0] ?? null;
}

/** Returns the feature of the point with a key; null if the point no longer exists or does not pass the filter. */
export async function pointWith(source, index, key, query) {
  const [row] = await rowsOf(source, index, [key], query);
  return row === undefined ? null : (await source.whereIs(index.name, row, query)).feature;
}

/**
 * Returns the keys by which a cluster of a live index is found again in a new version. Returns no keys if the index is
 * not live, or if no members are known.
 */
export function keysOf(index, cluster, members) {
  const known = cluster.count === 1 ? [cluster] : members.slice(0, 4 * FEW);
  return known.map(({ properties }) => keyOf(index, properties)).filter((key) => key !== undefined);
}

/**
 * Returns the feature of the cluster that continues a cluster of an earlier version. The continuing cluster contains
 * most of the given members of the earlier cluster, and has about as many points as the earlier cluster. Returns null
 * if there is no such cluster.
 *
 * @param keys Keys of members of the earlier cluster.
 * @param count Number of points of the earlier cluster.
 * @param query Has the filter of the points that are counted, if there is one.
 */
export async function clusterWith(source, index, keys, count, query) {
  const rows = (await rowsOf(source, index, keys, query)).slice(0, FEW);
  const paths = await Promise.all(rows.map(async (row) => (await source.whereIs(index.name, row, query)).path));
  const known = new Map();
  for (const { cluster_id: id, point_count } of paths.flat()) {
    const node = known.get(id) ?? { id, share: Math.min(count, point_count) / Math.max(count, point_count), common: 0 };
    node.common++;
    known.set(id, node);
  }
  const [best] = [...known.values()].filter(({ common, share }) => 2 * common > rows.length && share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share);
  return best ? source.cluster(index.name, best.id, undefined, query) : null;
}
