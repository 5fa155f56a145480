// The dialog to share the view: a link, a line of HTML that embeds the view, and pictures.

import { download, fileName } from "./files.js";
import { PLACE_DOT } from "./labels.js";
import { densitiesOf } from "./legend.js";
import { element, number, titleOf } from "./text.js";

/**
 * Lengths in the caption of a picture, in pixels. `TOP` is the distance between the upper edge of the caption and the
 * legend. `GAP` is the distance between the columns of a legend with categories.
 */
const EDGE = 14;
const LINE = 20;
const TOP = 36;
const GAP = 24;
const SCALE_WIDTH = 168;

/** What a user of a server must know about embedding. */
const FRAMES = "Pages from other origins can embed the map only if the server was started with --frame-ancestors.";

/** Greatest number of characters of a name in the legend of a picture. */
const LONGEST = 32;

export class Share {
  /** @param viewer Has the page, the maps and the overlay. */
  constructor(viewer) {
    this.viewer = viewer;
    const button = viewer.find("#share");
    // A page without an address has no link to share.
    button.hidden = !viewer.address;
    button.addEventListener("click", () => this.#open());
  }

  #open() {
    const { viewer } = this;
    viewer.address.write();
    const dialog = element("dialog", { id: "sharing" });
    dialog.setAttribute("aria-label", "Share this view");
    const link = location.href;
    const frame = `<iframe src="${markup(link)}" title="${markup(titleOf(viewer.index))}" width="800" height="600" style="border: 0"></iframe>`;
    const close = element("button", { type: "button", className: "button" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const save = (kind, run) => {
      const button = element("button", { type: "button", className: "quiet" }, kind);
      button.addEventListener("click", async () => download(await run(), `${fileName(viewer.index)}.${kind.toLowerCase()}`));
      return button;
    };
    dialog.append(
      element("h2", {}, "Share this view"), ...this.#copied("Link", link), ...this.#copied("For a page", frame),
      ...(viewer.source.isServer ? [element("p", { className: "says" }, FRAMES)] : []),
      element("div", { className: "row" }, save("PNG", () => this.png()), save("SVG", () => this.svg()), close));
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    viewer.node.append(dialog);
    dialog.showModal();
  }

  #copied(label, text) {
    const field = element("input", { type: "text", readOnly: true, value: text, ariaLabel: label });
    field.addEventListener("focus", () => field.select());
    const button = element("button", { type: "button", className: "quiet" }, "Copy");
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Browsers give a page without a secure origin no access to the clipboard.
        document.execCommand("copy");
      }
      button.textContent = "Copied";
    });
    return [element("label", {}, label), element("div", { className: "row" }, field, button)];
  }

  /**
   * Returns a canvas with the maps below the badges, in the resolution of the screen.
   *
   * @param below Height of the empty space below the maps, in pixels.
   */
  #ground(below = 0) {
    const { stage, overlay: { ratio } } = this.viewer;
    const { width, height } = stage.whole;
    const canvas = new OffscreenCanvas(Math.round(width * ratio), Math.round((height + below) * ratio));
    const context = canvas.getContext("2d");
    const maps = stage.hasHalves && stage.twin ? [[stage.twin.map, { x: 0, y: 0 }], [this.viewer.map, stage.origin]] : [[this.viewer.map, stage.origin]];
    for (const [map, { x, y }] of maps) {
      // WebGL discards a picture at the end of the task that drew it. So the map is drawn again before it is copied.
      map.redraw();
      context.drawImage(map.getCanvas(), x * ratio, y * ratio, stage.size.width * ratio, stage.size.height * ratio);
    }
    return { canvas, context, width, height, ratio };
  }

  get #title() {
    const { index } = this.viewer;
    return [titleOf(index), index.attribution, index.plane ? "" : "Natural Earth"].filter(Boolean).join(" · ");
  }

  /**
   * Returns the caption below the maps: the title, the attribution and the legend.
   *
   * @returns The height of the caption in pixels, and its shapes. The shapes start at the vertical position `top`.
   */
  #caption({ width, height: top }) {
    const { legend, palette, settings, tones, values } = this.viewer;
    const isScale = settings.view === "grid" || !values.hasParts;
    const entries = isScale ? [] : legend.entries.map(({ text, fill, said }) => ({ text: text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text, fill, said }));
    if (!isScale && legend.rest > 0) entries.push({ text: `${number(legend.rest)} more`, fill: "none", said: "" });
    const key = isScale ? keyOf(palette, densitiesOf(tones), this.viewer.find("#key-title").textContent) : listOf(palette, entries, width - 2 * EDGE);
    const height = TOP + key.height + EDGE;
    const shapes = `<rect y="${top}" width="${width}" height="${height}" fill="${palette.hole.fill}"/>`
      + `<text x="${EDGE}" y="${top + 23}" fill="${palette.hole.ink}" font-size="12.5">${markup(this.#title)}</text><g transform="translate(${EDGE} ${top + TOP})">${key.shapes}</g>`;
    return { height, shapes };
  }

  async png() {
    const { overlay, palette, stage: { whole } } = this.viewer;
    const { height: below, shapes } = this.#caption(whole);
    const { canvas, context, width, height } = this.#ground(below);
    context.drawImage(overlay.canvas, 0, 0);
    const caption = new Image();
    caption.src = `data:image/svg+xml,${encodeURIComponent(svgOf(width, height + below, palette, shapes))}`;
    await caption.decode();
    context.drawImage(caption, 0, 0, canvas.width, canvas.height);
    return canvas.convertToBlob({ type: "image/png" });
  }

  /** Returns a drawing of the view. Badges and names are shapes and texts above a picture of the map. */
  async svg() {
    const { viewer } = this;
    const { canvas, width, height } = this.#ground();
    const ground = await asDataURL(await canvas.convertToBlob({ type: "image/png" }));
    const { palette, stage } = viewer;
    const text = (x, y, said, fill, size, weight, halo, slant = "") =>
      `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${fill}" font-size="${size}" font-weight="${weight}"${slant} text-anchor="middle" dominant-baseline="central"`
      + `${halo ? ` stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : ""}>${markup(said)}</text>`;
    const shapes = [];
    const camera = viewer.currentCamera;
    const isTiles = viewer.settings.view === "tiles";
    for (const side of isTiles ? [viewer.tree] : viewer.sides) {
      const origin = stage.originOf(side);
      for (const label of side.labels.placed) {
        const { x, y } = camera.point(label.x, label.y);
        const [left, top] = [origin.x + x, origin.y + y];
        if (label.hasDot) {
          shapes.push(`<circle class="place" cx="${left.toFixed(1)}" cy="${top.toFixed(1)}" r="${PLACE_DOT}" fill="${palette.place}" stroke="${palette.halo}" stroke-width="2" paint-order="stroke"/>`);
        }
        const [fill, weight, slant] = label.isPoint ? [palette.pointName, 450, ' font-style="italic"'] : [palette.place, label.size <= 12 ? 500 : 600, ""];
        shapes.push(text(left + label.dx, top + label.dy, label.text, fill, label.size, weight, palette.halo, slant));
      }
      // The map library draws the badges of tiles. The picture of the map contains them.
      for (const cluster of isTiles ? [] : side.scene.clusters) {
        const point = camera.point(cluster.x, cluster.y);
        const [x, y] = [origin.x + point.x, origin.y + point.y];
        const tone = palette.toneOf(cluster);
        const hole = cluster.parts && cluster.count > 1;
        shapes.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${cluster.radius.toFixed(1)}" fill="${hole ? palette.hole.fill : tone.fill}" stroke="${palette.ring}" stroke-width="1.75"/>`);
        if (hole) shapes.push(...ring(cluster, x, y, palette));
        if (cluster.count > 1) shapes.push(text(x, y, cluster.label, hole ? palette.hole.ink : tone.ink, cluster.label.length > 3 ? 12 : 13, 600));
      }
    }
    const caption = this.#caption(stage.whole);
    shapes.push(caption.shapes);
    return new Blob([svgOf(width, height + caption.height, palette, `<image href="${ground}" width="${width}" height="${height}"/>${shapes.join("\n")}`)], { type: "image/svg+xml" });
  }
}

const svgOf = (width, height, { fontFamily }, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${markup(fontFamily)}">${content}</svg>\n`;

/** Returns the height of the scale of densities, and its shapes. */
function keyOf(palette, densities, title) {
  const stops = palette.tones.map(({ fill }, at) => `<stop offset="${at / (palette.tones.length - 1)}" stop-color="${fill}"/>`).join("");
  const anchors = ["start", "middle", "end"];
  const texts = densities.map((text, at) => (
    `<text x="${(SCALE_WIDTH * at) / 2}" y="23" font-size="12" font-weight="600" text-anchor="${anchors[at]}" fill="${palette.hole.ink}">${markup(text)}</text>`)).join("");
  const shapes = `<linearGradient id="scale">${stops}</linearGradient><rect width="${SCALE_WIDTH}" height="9" rx="4.5" fill="url(#scale)"/>${texts}`
    + `<text y="40" font-size="11.5" fill="${palette.pointName}">${markup(title)}</text>`;
  return { height: 40, shapes };
}

/**
 * Returns the height of a legend with categories or groups, and its shapes: for each a disc, the name and the share.
 */
function listOf(palette, entries, width) {
  const measure = new OffscreenCanvas(1, 1).getContext("2d");
  measure.font = `13px ${palette.fontFamily}`;
  const widthOf = (texts) => Math.ceil(Math.max(...texts.map((text) => measure.measureText(text).width), 0));
  const [names, shares] = [widthOf(entries.map(({ text }) => text)), widthOf(entries.map(({ said }) => said))];
  const column = 20 + names + 14 + shares;
  const columns = Math.max(Math.floor((width + GAP) / (column + GAP)), 1);
  const rows = Math.ceil(entries.length / columns);
  const shapes = entries.map(({ text, fill, said }, at) => {
    const [left, middle] = [(column + GAP) * Math.floor(at / rows), 8 + LINE * (at % rows)];
    const line = `y="${middle}" font-size="13" dominant-baseline="central"`;
    return `<circle cx="${left + 6}" cy="${middle}" r="6" fill="${fill}"/><text x="${left + 20}" ${line} fill="${palette.hole.ink}">${markup(text)}</text>`
      + `<text x="${left + column}" ${line} text-anchor="end" fill="${palette.pointName}">${markup(said)}</text>`;
  });
  return { height: LINE * rows - 4, shapes: shapes.join("") };
}

/** Returns the arcs of a donut. */
function ring(cluster, x, y, palette) {
  const { parts, radius } = cluster;
  const tones = palette.tonesOf(cluster);
  const total = parts.reduce((sum, part) => sum + part, 0);
  const width = Math.max(radius * 0.23, 3.25);
  const around = 2 * Math.PI * (radius - 1.75 - width / 2);
  let start = 0;
  return parts.map((part, at) => {
    const length = (around * part) / total;
    const arc = `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(around / 2 / Math.PI).toFixed(2)}" fill="none" stroke="${tones[at].fill}" stroke-width="${width.toFixed(1)}"`
      + ` stroke-dasharray="${length.toFixed(2)} ${(around - length).toFixed(2)}" stroke-dashoffset="${(-start).toFixed(2)}" transform="rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})"/>`;
    start += length;
    return part > 0 ? arc : "";
  });
}

const markup = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const asDataURL = (blob) => new Promise((resolve) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result));
  reader.readAsDataURL(blob);
});
