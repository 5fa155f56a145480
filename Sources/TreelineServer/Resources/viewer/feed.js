// Keeps one side supplied with the answer to what is on the screen, whatever the order in which answers come.
//
// One question is under way at a time; what is asked meanwhile is forgotten but for the last. A question that takes long
// and is no longer wanted is given up. Whatever still answers a question that was given up is discarded.

/** Milliseconds after which an answer to a question of the past is no longer waited for. */
const PATIENCE = 250;

/** Milliseconds between a failure and the next try: twice as long each time. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

export class Feed {
  #settled = null;
  #flight = null;
  #sequence = 0;
  #failures = 0;
  #pausedUntil = 0;

  /**
   * @param ask Sends a question, `(question, signal) => Promise`.
   * @param take Takes an answer, `(answer, question)`.
   * @param fail Takes an error; the question is asked again after a pause.
   * @param wake Called when `want` is worth calling again.
   */
  constructor({ ask, take, fail, wake }) {
    Object.assign(this, { ask, take, fail, wake });
  }

  /** Whether what is shown is the answer to a question. */
  hasAnswered(question) {
    return this.#flight === null && this.#settled === question.key;
  }

  /** Since when an answer is waited for, Infinity if none is. */
  get waitingSince() {
    return this.#flight?.since ?? Infinity;
  }

  /**
   * Says what is to be answered.
   *
   * @param question Has a `key` that tells it from others.
   * @returns Whether a request was sent.
   */
  want(question, now) {
    if (now < this.#pausedUntil) return false;
    if (this.#flight) {
      if (this.#flight.key === question.key || now - this.#flight.since < PATIENCE) return false;
      this.#giveUp();
    } else if (this.#settled === question.key) {
      return false;
    }
    this.#send(question, now);
    return true;
  }

  /** Forgets what was asked and answered. */
  reset() {
    if (this.#flight) this.#giveUp();
    this.#settled = null;
    this.#pausedUntil = 0;
  }

  async #send(question, now) {
    const sequence = ++this.#sequence;
    const controller = new AbortController();
    this.#flight = { key: question.key, since: now, controller };
    setTimeout(() => this.wake(), PATIENCE);
    try {
      const answer = await this.ask(question, controller.signal);
      if (sequence !== this.#sequence) return;
      this.#flight = null;
      this.#settled = question.key;
      this.#failures = 0;
      this.take(answer, question);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#flight = null;
      const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures++, LONGEST_PAUSE);
      this.#pausedUntil = performance.now() + pause;
      setTimeout(() => this.wake(), pause + 1);
      this.fail(error);
    }
    this.wake();
  }

  #giveUp() {
    this.#flight.controller.abort();
    this.#flight = null;
    this.#sequence++;
  }
}
