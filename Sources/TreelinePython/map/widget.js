// A map in a widget of a notebook (https://anywidget.dev).

import { GONE, Kernel } from "./kernel.js";
import { Link, settingsOf } from "./link.js";
import { mount } from "./mount.js";
import { Selection } from "./selection.js";
import { Settings } from "./settings.js";
import { shown } from "./shown.js";
import { start } from "./start.js";
import { Theme } from "./theme.js";

/** @returns A function that removes the map. */
export async function render(model, host) {
  // JupyterLab may create the host before it is in the page. Outside the page, the styles of the host cannot be read.
  await shown(host);
  const settings = new Settings("view=tree");
  settings.set(settingsOf(model));
  const source = new Kernel(model);
  const root = mount(host);
  const theme = new Theme(root);
  let link;
  const viewer = await start(root, source, settings, undefined, (viewer) => {
    viewer.selection = new Selection();
    theme.onChange = () => viewer.repaint();
    source.onEnd = () => {
      link?.end();
      viewer.tell("kernel", GONE);
    };
    // The next request names the previous version. So the answer to this request informs the viewer of the new version.
    source.onReplace = () => {
      viewer.tree.feed.reset();
      viewer.wake();
    };
    link = new Link(model, viewer);
    // Gives tests and the browser's console access to the viewer.
    host.viewer = viewer;
  });
  link?.begin();
  return () => {
    link?.end();
    theme.end();
    source.end();
    viewer?.map.remove();
  };
}
