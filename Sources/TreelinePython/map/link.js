// Keeps a map and the traits of its widget equal. A change of the map changes the traits, and a change of a trait
// changes the map.

import { corners, isAround } from "./choice.js";
import { chosenCut, CUTS } from "./cut.js";
import { mapZoom, serverZoom } from "./vendor/treeline/map/mercator.js";

/**
 * Views that differ by less than this, in degrees or zoom levels, count as equal. A widget's view that equals the map's
 * view comes from the map itself.
 */
const NEARLY = 1e-9;

/** Traits that have the same values as settings, with the names of these settings. */
const SAME = { where: "where", color: "donuts", histogram: "brush", _range: "range" };

/**
 * Returns the settings at the start of a widget. On a plane, the view is set later, because the map must know the
 * plane.
 */
export const settingsOf = (model) => ({
  ...cutSettings(model.get("cut")), map: model.get("_facts").projection === "plane" ? "" : mapSetting(model.get("view")),
  ...Object.fromEntries(Object.entries(SAME).map(([trait, setting]) => [setting, model.get(trait)])),
});

export class Link {
  #listeners = [];
  #hasEnded = false;

  constructor(model, viewer) {
    Object.assign(this, { model, viewer });
    const { settings, selection } = viewer;
    settings.onChange((names) => this.#settingsChanged(names));
    selection.onChange = (ids) => this.#set("selected", ids);
    this.#follow("cut", (cut) => settings.set(cutSettings(cut)));
    for (const [trait, setting] of Object.entries(SAME)) this.#follow(trait, (value) => this.#choose(setting, value));
    this.#follow("title", (title) => viewer.retitle(title));
    this.#follow("_tooltip", (columns) => (viewer.tooltip = columns));
    this.#follow("basemap", (style) => viewer.useBasemap(style));
    Object.assign(viewer, { tooltip: model.get("_tooltip"), basemap: model.get("basemap") });
    this.#follow("_selected_ranges", (ranges) => {
      selection.ranges = ranges;
      viewer.wake();
    });
    this.#follow("selected", (ids) => (selection.ids = ids));
    this.#follow("view", (view) => this.#show(view));
    [selection.ids, selection.ranges] = [model.get("selected"), model.get("_selected_ranges")];
  }

  /** Begins to keep the map and the widget equal. The map must exist. */
  begin() {
    const { map } = this.viewer;
    // If box zoom were enabled, MapLibre would treat a click with Shift as a zoom to an empty box.
    map.boxZoom.disable();
    const view = this.model.get("view");
    // Settings hold only a center and a zoom. The box of a view with a center and a zoom is ignored, because the view
    // may come from a map of another size.
    if (this.viewer.index.plane || !view.center || view.zoom === undefined) this.#show(view);
    map.on("moveend", () => this.#moved());
    map.on("resize", () => this.#moved());
    this.#moved();
  }

  /** Stops keeping the map and the widget equal. */
  end() {
    this.#hasEnded = true;
    for (const [event, listener] of this.#listeners) this.model.off(event, listener);
  }

  #follow(name, changed) {
    const listener = () => changed(this.model.get(name));
    this.model.on(`change:${name}`, listener);
    this.#listeners.push([`change:${name}`, listener]);
  }

  /**
   * Sets a setting. A new column of colors shows all categories, because the hidden categories belong to the old
   * column.
   */
  #choose(setting, value) {
    const { settings } = this.viewer;
    const clears = setting === "donuts" && value !== settings.donuts ? { off: "", picks: "" } : {};
    settings.set({ [setting]: value, ...clears });
  }

  #set(name, value) {
    if (this.#hasEnded || JSON.stringify(this.model.get(name)) === JSON.stringify(value)) return;
    this.model.set(name, value);
    this.model.save_changes();
  }

  #settingsChanged(names) {
    const { settings } = this.viewer;
    for (const [trait, setting] of Object.entries(SAME)) if (names.has(setting)) this.#set(trait, settings[setting]);
    const { name, amount, hasOrder } = chosenCut(settings);
    if (["by", "order", name].some((each) => names.has(each))) {
      this.#set("cut", { [name]: amount, ...(hasOrder && { order: settings.order }) });
    }
  }

  get #view() {
    const { currentCamera: { longitude, latitude, zoom }, index: { plane } } = this.viewer;
    const bounds = this.viewer.map.getBounds();
    if (plane) {
      const corner = (at) => plane.coordinates(at.toArray());
      return { center: plane.coordinates([longitude, latitude]), zoom: serverZoom(zoom) - plane.zoom(0), bbox: [...corner(bounds.getSouthWest()), ...corner(bounds.getNorthEast())] };
    }
    const wrapped = (degrees) => degrees - 360 * Math.floor((degrees + 180) / 360);
    const isWhole = bounds.getEast() - bounds.getWest() >= 360;
    const [west, east] = isWhole ? [-180, 180] : [bounds.getWest(), bounds.getEast()].map(wrapped);
    const bbox = [west, bounds.getSouth(), east, bounds.getNorth()];
    return { center: [wrapped(longitude), latitude], zoom: serverZoom(zoom), bbox };
  }

  #moved() {
    this.#set("view", this.#view);
  }

  /** Shows a view. A view has a center, a zoom, or both. If the view has no center and no zoom, shows its box. */
  #show({ center, zoom, bbox }) {
    const { map, settings, index: { plane } = {} } = this.viewer;
    // A map that does not exist yet will begin with this view.
    if (!map) return settings.set({ map: settingsOf(this.model).map });
    const now = this.#view;
    const differs = (a, b) => a.some((value, at) => Math.abs(value - b[at]) > NEARLY);
    const moves = center && differs(center, now.center);
    const zooms = zoom !== undefined && differs([zoom], [now.zoom]);
    // A program may replace one part of a view that came from the map. Then only the replaced part counts.
    const placed = plane ? (position) => plane.placed(position) : (position) => position;
    if (moves || zooms) {
      map.jumpTo({ center: placed(center ?? now.center), zoom: mapZoom((zoom ?? now.zoom) + (plane?.zoom(0) ?? 0)) });
    } else if (bbox && differs(bbox, now.bbox) && !(center && zoom !== undefined && isAround(center, bbox, plane))) {
      map.fitBounds(corners([...placed(bbox.slice(0, 2)), ...placed(bbox.slice(2))]), { duration: 0 });
    }
  }
}

/** Returns a cut such as `{ spacing: 44 }` as settings. */
function cutSettings(cut) {
  const by = Object.keys(CUTS).find((name) => name in cut);
  return by ? { by, [by]: cut[by], ...(cut.order && { order: cut.order }) } : {};
}

const mapSetting = ({ center, zoom }) =>
  (center && zoom !== undefined ? `${mapZoom(zoom)}/${center[1]}/${center[0]}` : "");
