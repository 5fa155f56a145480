// What the user has chosen and looks at, as the fragment of the address holds it: a link shows what its sender saw.

import { ORDERS } from "./constants.js";
import { CUTS } from "./cut.js";

const DEFAULTS = {
  /** The name of an index; the first one unless told. */
  index: "",
  /** Which sides there are: grid, compare, tree or tiles. */
  view: "compare",
  /** What says how far the tree is cut: spacing, detail or limit. */
  by: "spacing",
  spacing: CUTS.spacing.standard,
  detail: CUTS.detail.standard,
  limit: CUTS.limit.standard,
  order: ORDERS[0],
  /** The side of a cell of the grid in pixels, or auto. */
  cell: "auto",
  ellipses: true,
  dust: true,
  /** Where the divider stands, as a share of the width. */
  divider: 0.5,
  /** Zoom, latitude and longitude; all unless told. */
  map: "",
  /** The id of the cluster that is open. */
  open: "",
  /** The address of a map style to show instead of the land outline. */
  style: "",
};

const CHOICES = {
  view: ["grid", "compare", "tree", "tiles"],
  by: Object.keys(CUTS),
  order: ORDERS,
  cell: ["auto", "32", "64", "88", "128"],
};

const RANGES = { divider: [0.02, 0.98], ...Object.fromEntries(Object.entries(CUTS).map(([name, { range }]) => [name, range])) };

export class Settings {
  #values;
  #listeners = [];

  constructor(fragment) {
    this.#values = parse(fragment);
    for (const name of Object.keys(DEFAULTS)) {
      Object.defineProperty(this, name, { get: () => this.#values[name], enumerable: true });
    }
  }

  /** @param listener Called with the names of what has changed. */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  set(changes) {
    const names = Object.keys(changes).filter((name) => this.#values[name] !== changes[name]);
    if (names.length === 0) return;
    for (const name of names) this.#values[name] = changes[name];
    for (const listener of this.#listeners) listener(new Set(names));
  }

  /** Takes what another fragment says, as when the address is edited. */
  read(fragment) {
    this.set(parse(fragment));
  }

  /** Only what is not as usual. */
  get fragment() {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#values)) {
      if (value !== DEFAULTS[name]) parameters.set(name, value);
    }
    // A slash and a comma need no escape in a fragment, and links are read by people too.
    return parameters.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
  }
}

/** What a fragment says; what is malformed in it is as usual. */
function parse(fragment) {
  const values = { ...DEFAULTS };
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    if (!(name in DEFAULTS)) continue;
    const usual = DEFAULTS[name];
    if (name in CHOICES) {
      if (CHOICES[name].includes(text)) values[name] = text;
    } else if (typeof usual === "boolean") {
      values[name] = text === "true";
    } else if (typeof usual === "number") {
      const [least, most] = RANGES[name];
      if (text !== "" && Number.isFinite(+text)) values[name] = Math.min(Math.max(+text, least), most);
    } else {
      values[name] = text;
    }
  }
  return values;
}

/** Where the map is, as a fragment tells it. */
export function mapText({ zoom, latitude, longitude }) {
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 2;
  return `${+zoom.toFixed(2)}/${+latitude.toFixed(decimals)}/${+longitude.toFixed(decimals)}`;
}

export function mapPlace(text) {
  const [zoom, latitude, longitude] = text.split("/").map(Number);
  if (text === "" || ![zoom, latitude, longitude].every(Number.isFinite)) return null;
  return { zoom, center: [longitude, Math.min(Math.max(latitude, -85), 85)] };
}
