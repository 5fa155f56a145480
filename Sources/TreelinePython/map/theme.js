// The theme of the notebook, light or dark. The theme of the system may differ.

export class Theme {
  /** Called when the theme has changed. */
  onChange = () => {};
  #rules;
  #node;
  #observer = new MutationObserver(() => this.#update());

  /** @param root The root with the map's stylesheet. */
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

  /**
   * Whether JupyterLab or Visual Studio Code has a dark theme. Undefined in other programs, where the system's theme
   * decides.
   */
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
