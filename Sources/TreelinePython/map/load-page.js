// Starts the bundle in a standalone page, which contains all files that it needs.

const bytesOf = (id) => {
  const node = document.getElementById(id);
  const bytes = Uint8Array.from(atob(node.textContent), (character) => character.charCodeAt(0));
  node.remove();
  return bytes;
};

const host = document.getElementById("host");
try {
  const [{ library, ...rest }, hierarchy] = await Promise.all([held(bytesOf("assets")), unpacked(bytesOf("hierarchy"))]);
  await bundle(library, { ...rest, hierarchy })["page.js"].open(host);
} catch (error) {
  if (!host.shadowRoot) host.textContent = `This page cannot be shown here: ${error.message}`;
  throw error;
}
