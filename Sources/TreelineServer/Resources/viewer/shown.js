// Finds out whether an element has room for a map. An element has no room in a hidden tab or outside the page. A
// notebook may remove an element for a moment. JupyterLab removes elements while it changes its theme.

/** Returns whether an element is laid out with an extent in both directions. */
export const isShown = ({ clientWidth, clientHeight }) => clientWidth > 0 && clientHeight > 0;

/** Waits until an element has an extent in both directions. */
export function shown(node) {
  if (isShown(node)) return Promise.resolve();
  return new Promise((resolve) => {
    // The observer reports the current extent at once, even if it has not changed.
    const observer = new ResizeObserver(() => {
      if (!isShown(node)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(node);
  });
}
