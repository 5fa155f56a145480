// Whether an element has room for a map. An element has none in a hidden tab or outside the page. A notebook may remove
// it for a moment, as JupyterLab does while it changes its theme.

/** Returns whether an element is laid out with an extent in both directions. */
export const isShown = ({ clientWidth, clientHeight }) => clientWidth > 0 && clientHeight > 0;

/** Waits until an element is laid out with an extent. */
export function shown(node) {
  if (isShown(node)) return Promise.resolve();
  return new Promise((resolve) => {
    // The observer reports the first extent, too, even if the element had the same one before.
    const observer = new ResizeObserver(() => {
      if (!isShown(node)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(node);
  });
}
