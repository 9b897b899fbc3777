/** Calls `expire` once when nothing was touched for `ms`. One timer re-arms itself, so that a touch costs a clock reading. */
export class IdleTimer {
  readonly #ms: number;
  readonly #expire: () => void;
  #last = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #late = false;

  /** `ms` 0 never expires. */
  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  /** Something came: start waiting, or wait the whole time again. */
  touch(): void {
    if (this.#ms === 0) return;
    this.#last = performance.now();
    this.#late = false;
    this.#timer ??= setTimeout(() => this.#check(), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    this.#timer = undefined;
    const left = this.#last + this.#ms - performance.now();
    if (left > 0) this.#timer = setTimeout(() => this.#check(), left);
    else if (this.#late) this.#expire();
    else {
      // After a blocked event loop timers come before the bytes that wait in the socket: let those be read first.
      this.#late = true;
      this.#timer = setTimeout(() => this.#check(), 1);
    }
  }
}
