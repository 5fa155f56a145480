// Whether an element has room for a map. One in a hidden tab has none, nor has one that is out of the page, and a
// notebook may take it away for a moment, as JupyterLab does while it changes its theme.

/** Whether an element is laid out with an extent in both directions. */
export const isShown = ({ clientWidth, clientHeight }) => clientWidth > 0 && clientHeight > 0;

/** Waits until an element is laid out with an extent. */
export function shown(node) {
  if (isShown(node)) return Promise.resolve();
  return new Promise((resolve) => {
    // It reports the first extent, too, even if the element had the same one before.
    const observer = new ResizeObserver(() => {
      if (!isShown(node)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(node);
  });
}
