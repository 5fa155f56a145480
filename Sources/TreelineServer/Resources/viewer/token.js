// The token for a server that requires a token. The user enters the token once, and only this tab keeps it.

const KEY = "treeline-token";

export class Token {
  #asking = null;
  #isDeclined = false;

  get headers() {
    const token = sessionStorage.getItem(KEY);
    return token ? { Authorization: `Bearer ${token}` } : {};
  }

  /**
   * Asks the user for a token after the server has refused a request.
   *
   * @param refused Headers of the refused request.
   * @returns Whether there is a token to try.
   */
  async ask(refused) {
    // If the user has entered another token since this request was sent, this token is tried first.
    if (refused.Authorization !== this.headers.Authorization) return true;
    if (this.#isDeclined) return false;
    this.#asking ??= this.#show("Authorization" in refused).finally(() => (this.#asking = null));
    return this.#asking;
  }

  #show(isWrong) {
    const dialog = document.createElement("dialog");
    dialog.id = "sign-in";
    dialog.innerHTML = `
      <form method="dialog">
        <label for="token">This server needs a token.</label>
        <input id="token" type="password" autocomplete="current-password" required>
        <p role="alert"></p>
        <button class="button">Sign in</button>
      </form>`;
    if (isWrong) dialog.querySelector("p").textContent = "The server refused this token; check it and try again.";
    (document.querySelector("#viewer") ?? document.body).append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.querySelector("form").addEventListener("submit", () => {
        sessionStorage.setItem(KEY, dialog.querySelector("input").value.trim());
      });
      dialog.addEventListener("cancel", () => (this.#isDeclined = true));
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(!this.#isDeclined);
      });
    });
  }
}
