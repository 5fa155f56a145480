// What is said of columns in words: filters, and aggregates. A tree with columns has it; any other does without.

export { namesOf, valuesOf } from "./aggregates.js";
export { predicateOf } from "./filter.js";
