// Starts the map on the page of a server.

import { Address } from "./address.js";
import { Server } from "./server.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

const settings = new Settings(location.hash);
start(document, new Server(new URL("..", import.meta.url)), settings, new Address(settings), (viewer) => {
  // Gives tests and the browser's console access to the viewer.
  globalThis.viewer = viewer;
});
