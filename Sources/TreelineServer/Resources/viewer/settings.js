// The settings and the view of the map, as the fragment of the address holds it: a link shows what its sender saw.

import { GRID_CELLS } from "./constants.js";
import { CUT_DEFAULTS, CUT_RANGES, LABELED_ORDERS } from "./cut.js";
import { listed, rangeOf } from "./values.js";

/** What may be split first. */
const ORDERS = LABELED_ORDERS.map(([order]) => order);

const DEFAULTS = {
  /** The name of an index; the first one unless given. */
  index: "",
  /** Which sides there are: grid, compare, tree or tiles. */
  view: "compare",
  /** The name of the cut, and the amount of each. */
  by: Object.keys(CUT_DEFAULTS)[0],
  ...CUT_DEFAULTS,
  /** What is split first, where the cut has an order. */
  order: ORDERS[0],
  /** The side of a cell of the grid in pixels, or auto. */
  cell: "auto",
  /** Whether every cluster has its ellipse, not only the one that is pointed at. */
  ellipses: false,
  dust: true,
  /** How both sides are compared: each on its half of the same ground, or on either side of a divider. */
  compare: "halves",
  /** Where the divider stands, as a share of the width. */
  divider: 0.5,
  /** Zoom, latitude and longitude; all points unless given. */
  map: "",
  /** The id of the cluster that is open. */
  open: "",
  /** The column of categories that badges are donuts of; none unless given. */
  donuts: "",
  /** The categories that are hidden, with commas between. */
  off: "",
  /** The column of numbers whose sum badges show in place of counts. */
  sum: "",
  /** The column that has a histogram, and from where to where points count. */
  brush: "",
  range: "",
  /** Which points count, in CQL2; all unless given. */
  where: "",
  /** The address of a map style to show instead of the land outline. */
  style: "",
};

const CHOICES = {
  view: ["grid", "compare", "tree", "tiles"],
  by: Object.keys(CUT_DEFAULTS),
  order: ORDERS,
  compare: ["halves", "divider"],
  cell: ["auto", ...GRID_CELLS.map(String)],
};

/** Which texts mean something. */
const FORMS = {
  map: (text) => text === "" || cameraOptions(text) !== null,
  open: (text) => /^\d*$/.test(text),
  range: (text) => text === "" || rangeOf(text) !== null,
  off: isListing,
};

const RANGES = { divider: [0.02, 0.98], ...CUT_RANGES };

export class Settings {
  /** The names in the fragment that say nothing, or nothing that is possible. */
  unreadable = [];
  #values;
  #listeners = [];

  constructor(fragment) {
    this.#values = this.#parsed(fragment);
    for (const name of Object.keys(DEFAULTS)) {
      Object.defineProperty(this, name, { get: () => this.#values[name], enumerable: true });
    }
  }

  /** @param listener Called with the names of what has changed. */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  /** Called before a change that Back is to take back. */
  beforeStep = () => {};

  /** A change of its own, as by a click, to whose beginning Back returns. */
  step(changes = {}) {
    this.beforeStep();
    this.set(changes);
  }

  set(changes) {
    const names = Object.keys(changes).filter((name) => this.#values[name] !== changes[name]);
    if (names.length === 0) return;
    for (const name of names) this.#values[name] = changes[name];
    for (const listener of this.#listeners) listener(new Set(names));
  }

  /** Takes what another fragment says, as when the address is edited. */
  read(fragment) {
    this.set(this.#parsed(fragment));
  }

  #parsed(fragment) {
    const { values, unreadable } = parse(fragment);
    this.unreadable = unreadable;
    return values;
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

/** What a fragment says; what is malformed in it is as usual, and named. */
function parse(fragment) {
  const [values, unreadable] = [{ ...DEFAULTS }, []];
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const value = Object.hasOwn(DEFAULTS, name) ? valueOf(name, text) : undefined;
    if (value === undefined) unreadable.push(name);
    else values[name] = value;
  }
  return { values, unreadable };
}

/** What a text says of a setting, undefined if that is nothing. */
function valueOf(name, text) {
  const usual = DEFAULTS[name];
  if (name in CHOICES) return CHOICES[name].includes(text) ? text : undefined;
  if (name in FORMS) return FORMS[name](text) ? text : undefined;
  if (typeof usual === "boolean") return ["true", "false"].includes(text) ? text === "true" : undefined;
  if (typeof usual !== "number") return text;
  const [least, most] = RANGES[name];
  return text !== "" && Number.isFinite(+text) ? Math.min(Math.max(+text, least), most) : undefined;
}

function isListing(text) {
  try {
    return listed(text) !== null;
  } catch {
    // A percent sign without digits.
    return false;
  }
}

/** What the map shows, as a fragment says it. */
export function cameraText({ zoom, latitude, longitude }) {
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 2;
  return `${+zoom.toFixed(2)}/${+latitude.toFixed(decimals)}/${+longitude.toFixed(decimals)}`;
}

/** The same as the map library takes it; null for what is malformed. */
export function cameraOptions(text) {
  const parts = text.split("/");
  const [zoom, latitude, longitude] = parts.map(Number);
  if (parts.length !== 3 || !parts.every((part) => part.trim() !== "" && Number.isFinite(+part))) return null;
  return { zoom, center: [longitude, Math.min(Math.max(latitude, -85), 85)] };
}
