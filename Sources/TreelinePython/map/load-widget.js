// Starts the bundle as an anywidget. The first widget on a page requests the other files of the bundle. Later widgets
// use the files of the first widget.

const KEPT = Symbol.for("treeline " + VERSION);

function heldFor(model) {
  return (globalThis[KEPT] ??= new Promise((resolve, reject) => {
    const receive = ({ id, problem }, buffers) => {
      if (id !== "assets") return;
      model.off("msg:custom", receive);
      if (problem) reject(new Error(problem.message));
      else held(...buffers).then(resolve, reject);
    };
    model.on("msg:custom", receive);
    model.send({ id: "assets", verb: "assets" });
  }));
}

/** Unpacks a JSON file with the land and its places, and runs the map library. */
async function held(assets, library) {
  const [rest, text] = await Promise.all([unpacked(assets), unpacked(library)]);
  return { library: await libraryOf(text), ...JSON.parse(rest) };
}

async function render({ model, el }) {
  const host = document.createElement("div");
  host.style.height = `${model.get("height")}px`;
  model.on("change:height", () => (host.style.height = `${model.get("height")}px`));
  // A key press acts only on the map. The notebook must not also treat the key as a command, such as adding a cell.
  host.dataset.lmSuppressShortcuts = "true";
  el.append(host);
  try {
    const { library, ...rest } = await heldFor(model);
    return await bundle(library, rest)["widget.js"].render(model, host);
  } catch (error) {
    delete globalThis[KEPT];
    if (!host.shadowRoot) host.textContent = error.message;
    throw error;
  }
}

export default { render };
