// Finds out whether an element has room for a map. In a hidden tab or outside the page it has no room. A notebook may
// remove an element for a moment; JupyterLab does so while it changes its theme.

/** Returns whether an element is laid out with an extent in both directions. */
export const isShown = ({ clientWidth, clientHeight }) => clientWidth > 0 && clientHeight > 0;

/** Waits until an element is laid out with an extent. */
export function shown(node) {
  if (isShown(node)) return Promise.resolve();
  return new Promise((resolve) => {
    // The observer always reports the first extent, even if the element had this extent already.
    const observer = new ResizeObserver(() => {
      if (!isShown(node)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(node);
  });
}
