// Requests the answer for the current view of a map again and again. Answers may arrive in any order.
//
// One request is in flight at a time. A request that takes long and is no longer wanted is cancelled. If the answer to
// a cancelled request still arrives, the answer is discarded.

/**
 * Milliseconds after which a request that is no longer wanted is cancelled. The time doubles with each cancelled
 * request. So a slow source also answers while the map moves.
 */
const PATIENCE = 250;
const LONGEST_PATIENCE = 4000;

/** Milliseconds between a failure and the next try. The pause doubles with each further failure. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

/**
 * @template {{key: string}} Request Requests with the same key ask for the same answer.
 * @template Answer
 */
export class Feed {
  /** @type {string | null} */
  #settled = null;
  /** @type {{key: string, since: number, controller: AbortController} | null} */
  #flight = null;
  #sequence = 0;
  #failures = 0;
  #patience = PATIENCE;
  #pausedUntil = 0;

  /**
   * @param {object} calls
   * @param {(request: Request, signal: AbortSignal) => Answer | Promise<Answer>} calls.fetch Sends a request.
   * @param {(answer: Answer, request: Request) => void} calls.receive Receives an answer.
   * @param {(error: any) => void} calls.fail Receives an error. The request is sent again after a pause.
   * @param {() => void} calls.wake Called when it is time to call `want` again.
   */
  constructor({ fetch, receive, fail, wake }) {
    this.fetch = fetch;
    this.receive = receive;
    this.fail = fail;
    this.wake = wake;
  }

  /**
   * Returns whether no request is in flight and the latest answer belongs to a given request.
   *
   * @param {Request} request
   */
  hasAnswered(request) {
    return this.#flight === null && this.#settled === request.key;
  }

  /** Time at which waiting for an answer began; Infinity if no answer is awaited. */
  get waitingSince() {
    return this.#flight?.since ?? Infinity;
  }

  /**
   * Sends a request, unless this request is in flight or already answered.
   *
   * @param {Request} request
   * @param {number} now
   * @returns Whether a request was sent.
   */
  want(request, now) {
    if (now < this.#pausedUntil) return false;
    if (this.#flight) {
      if (this.#flight.key === request.key || now - this.#flight.since < this.#patience) return false;
      this.#cancel();
      this.#patience = Math.min(2 * this.#patience, LONGEST_PATIENCE);
    } else if (this.#settled === request.key) {
      return false;
    }
    this.#send(request, now);
    return true;
  }

  /** Forgets all requests and answers. */
  reset() {
    this.#cancel();
    this.#settled = null;
    this.#patience = PATIENCE;
    this.#pausedUntil = 0;
  }

  /**
   * @param {Request} request
   * @param {number} now
   */
  async #send(request, now) {
    const sequence = ++this.#sequence;
    const controller = new AbortController();
    this.#flight = { key: request.key, since: now, controller };
    setTimeout(() => this.wake(), this.#patience);
    try {
      const answer = await this.fetch(request, controller.signal);
      if (sequence !== this.#sequence) return;
      this.#flight = null;
      this.#settled = request.key;
      this.#failures = 0;
      this.#patience = PATIENCE;
      this.receive(answer, request);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#flight = null;
      // A request that was answered before the failure is sent again, too. The new answer hides the message of the
      // failure.
      this.#settled = null;
      const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures++, LONGEST_PAUSE);
      this.#pausedUntil = performance.now() + pause;
      setTimeout(() => this.wake(), pause + 1);
      this.fail(error);
    }
    this.wake();
  }

  #cancel() {
    this.#flight?.controller.abort();
    this.#flight = null;
    this.#sequence++;
  }
}
