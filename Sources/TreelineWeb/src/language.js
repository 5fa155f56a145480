// Reads filters and aggregates from texts. Loaded only for trees with columns.

export { namesOf, valuesOf } from "./aggregates.js";
export { predicateOf } from "./filter.js";
