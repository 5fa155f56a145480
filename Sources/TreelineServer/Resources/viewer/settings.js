// The settings and the view of the map. The fragment of the address contains the settings and the view. So a link shows
// the map in the state in which the sender of the link saw it.

import { CUT_DEFAULTS, CUT_RANGES, GRID_CELLS } from "./cut.js";
import { listed, rangeOf } from "./values.js";
import { ORDERS } from "./vendor/treeline/criterion.js";

const DEFAULTS = {
  /** Name of the index; by default the first index. */
  index: "",
  /** View of the map: `grid`, `compare`, `tree` or `tiles`. */
  view: "tree",
  /** Name of the cut. The amounts of all cuts follow. */
  by: Object.keys(CUT_DEFAULTS)[0],
  ...CUT_DEFAULTS,
  /** Order in which clusters are split, if the cut has an order. */
  order: ORDERS[0],
  /** Width of a grid cell in pixels, or `auto`. */
  cell: "auto",
  /** Whether ellipses of all clusters are drawn. The ellipse of the pointed-at cluster is always drawn. */
  ellipses: false,
  dust: true,
  /** Layout of a comparison: `halves` for two maps of one region, or `divider` for one map with a divider. */
  compare: "halves",
  /** Position of the divider, as a share of the width. */
  divider: 0.5,
  /** Zoom, latitude and longitude; all points by default. */
  map: "",
  /** Id of the open cluster. */
  open: "",
  /** Column of the categories of donuts; none by default. */
  donuts: "",
  /** Categories with their own colors, separated by commas; the most frequent categories by default. */
  picks: "",
  /** Hidden categories, separated by commas. */
  off: "",
  /** Column of numbers. Badges show the sum of this column instead of counts. */
  sum: "",
  /** Row of a point that was found, for example by the search. This point is marked at every zoom. */
  hit: "",
  /** Column of the histogram, and a range of its values. Only points in the range are counted. */
  brush: "",
  range: "",
  /** Filter in CQL2; all points by default. */
  where: "",
  /** Address of a map style to show instead of the land outline. */
  style: "",
};

const CHOICES = {
  view: ["grid", "compare", "tree", "tiles"],
  by: Object.keys(CUT_DEFAULTS),
  order: ORDERS,
  compare: ["halves", "divider"],
  cell: ["auto", ...GRID_CELLS.map(String)],
};

/** For each name of a setting, a test whether a text is a valid value. */
const FORMS = {
  map: (text) => text === "" || isCamera(text),
  open: (text) => /^\d*$/.test(text),
  range: (text) => text === "" || rangeOf(text) !== null,
  off: isListing,
  picks: isListing,
  hit: (text) => /^\d*$/.test(text),
};

const RANGES = { divider: [0.02, 0.98], ...CUT_RANGES };

export class Settings {
  /** Names in the fragment that are unknown, or that have invalid values. */
  unreadable = [];
  /** A cut in the fragment that the index does not support; empty if there is none. */
  unsuited = "";
  /** Names in the fragment that have valid values. */
  #given = new Set();
  #values;
  #listeners = [];

  constructor(fragment) {
    this.#values = this.#parsed(fragment);
    for (const name of Object.keys(DEFAULTS)) {
      Object.defineProperty(this, name, { get: () => this.#values[name], enumerable: true });
    }
  }

  /** @param listener Called with the names of the settings that have changed. */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  /** Called before a change that the Back button of the browser undoes. */
  beforeStep = () => {};

  /** Makes a change that the Back button of the browser undoes, for example after a click. */
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

  /** Reads another fragment, for example after the address was edited. */
  read(fragment) {
    this.set(this.#parsed(fragment));
  }

  #parsed(fragment) {
    const { values, unreadable, given } = parse(fragment);
    this.unreadable = unreadable;
    this.#given = given;
    return values;
  }

  /** Called before a cut of the settings is replaced, because it is not available. A cut of a link is remembered. */
  leaveCut() {
    if (this.#given.delete("by")) this.unsuited = this.by;
  }

  /** Called when the faults of the link have been reported. */
  forgetLink() {
    this.#given.clear();
    this.unsuited = "";
  }

  /** The fragment for all settings that differ from their defaults. */
  get fragment() {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#values)) {
      if (value !== DEFAULTS[name]) parameters.set(name, value);
    }
    // In a fragment, slashes, commas and colons need no escape. Without escapes, the link is easier to read.
    return parameters.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
  }
}

/**
 * Parses a fragment. Invalid settings keep their defaults. Returns the settings and the names of invalid and of valid
 * settings.
 */
function parse(fragment) {
  const [values, unreadable, given] = [{ ...DEFAULTS }, [], new Set()];
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const value = Object.hasOwn(DEFAULTS, name) ? valueOf(name, text) : undefined;
    if (value === undefined) {
      unreadable.push(name);
    } else {
      values[name] = value;
      given.add(name);
    }
  }
  return { values, unreadable, given };
}

/** Returns the value of a setting from its text; undefined if the text is invalid. */
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
    // `decodeURIComponent` throws if a percent sign is not followed by two digits.
    return false;
  }
}

/** Returns whether a text names a place on the map. After a pan around the world, a longitude may be beyond 180. */
function isCamera(text) {
  const [zoom, latitude, longitude] = text.split("/").map(Number);
  const isOnMap = zoom >= -2 && zoom <= 24 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 540;
  return cameraOptions(text) !== null && isOnMap;
}

/** Returns the view of the map as a text for a fragment. */
export function cameraText({ zoom, latitude, longitude }) {
  // Keeps as many digits as a request, so that the same view always makes the same request. The zoom is rounded down,
  // as in requests.
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 3;
  return `${Math.floor(zoom * 1000 + 1e-6) / 1000}/${+latitude.toFixed(decimals)}/${+longitude.toFixed(decimals)}`;
}

/** Returns the view from a text of `cameraText`, in the form of the map library; null if the text is malformed. */
export function cameraOptions(text) {
  const parts = text.split("/");
  const [zoom, latitude, longitude] = parts.map(Number);
  if (parts.length !== 3 || !parts.every((part) => part.trim() !== "" && Number.isFinite(+part))) return null;
  return { zoom, center: [longitude, Math.min(Math.max(latitude, -85), 85)] };
}
