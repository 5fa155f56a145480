// The map as the page of a server.

import { Address } from "./address.js";
import { Server } from "./server.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

const settings = new Settings(location.hash);
start(document, new Server(new URL("..", import.meta.url)), settings, new Address(settings), (viewer) => {
  // Lets tests and users of the console reach the viewer.
  globalThis.viewer = viewer;
});
