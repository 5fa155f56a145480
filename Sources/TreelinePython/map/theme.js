// Day or night as the notebook has it, which may differ from what the system prefers.

export class Theme {
  /** Called when it has changed. */
  onChange = () => {};
  #rules;
  #node;
  #observer = new MutationObserver(() => this.#update());

  /** @param root What holds the stylesheet of the map. */
  constructor(root) {
    this.#node = root.querySelector("#viewer");
    this.#rules = root.adoptedStyleSheets
      .flatMap((sheet) => [...sheet.cssRules])
      .filter((rule) => rule.media?.mediaText.includes("prefers-color-scheme"));
    this.#observer.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
    this.#update();
  }

  end() {
    this.#observer.disconnect();
  }

  /** As JupyterLab and Visual Studio Code tell it; undefined elsewhere, where the system does. */
  get #isDark() {
    const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
    return jpThemeLight ? jpThemeLight === "false" : vscodeThemeKind?.endsWith("dark");
  }

  #update() {
    const isDark = this.#isDark;
    if (isDark === undefined) return;
    for (const rule of this.#rules) rule.media.mediaText = isDark ? "all" : "not all";
    this.#node.style.colorScheme = isDark ? "dark" : "light";
    this.onChange();
  }
}
