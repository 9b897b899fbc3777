import { ref, unref } from '../platform.ts';

/**
 * Calls `expire` once if a wait lasts `ms`. One timer re-arms itself, so that a wait costs only a clock reading. Between waits the timer
 * does not keep the process alive.
 */
export class IdleTimer {
  readonly #ms: number;
  readonly #expire: () => void;
  #started = 0;
  #held = 0;
  #waiting = false;
  #late = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** With `ms` 0 the timer never expires. */
  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  /** Begin a wait with the full time. */
  start(): void {
    if (this.#ms !== 0) this.#wait(performance.now());
  }

  /** End a wait. Its duration counts if `resume` follows. */
  hold(): void {
    this.#held = performance.now();
    this.#waiting = false;
    if (this.#timer !== undefined) unref(this.#timer);
  }

  /** Continue a wait with the time that was left when it was held. */
  resume(): void {
    if (this.#ms !== 0) this.#wait(this.#started + performance.now() - this.#held);
  }

  /** End for good: no wait will follow. */
  stop(): void {
    this.#waiting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(started: number): void {
    this.#started = started;
    this.#waiting = true;
    this.#late = false;
    if (this.#timer === undefined) this.#arm(Math.max(1, started + this.#ms - performance.now()));
    else ref(this.#timer);
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    this.#timer = undefined;
    if (!this.#waiting) return;
    const left = this.#started + this.#ms - performance.now();
    if (left > 0) this.#arm(left);
    else if (this.#late) this.#expire();
    else {
      // After a blocked event loop, timers run before the bytes in the socket are read: let those be read first.
      this.#late = true;
      this.#arm(1);
    }
  }
}
