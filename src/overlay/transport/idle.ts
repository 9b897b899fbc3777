import { ref, unref } from '../platform.ts';

/**
 * Calls `expire` once when a wait lasted `ms`. One timer re-arms itself, so that a wait costs a clock reading. Between waits the timer
 * keeps no process alive.
 */
export class IdleTimer {
  readonly #ms: number;
  readonly #expire: () => void;
  #started = 0;
  #held = 0;
  #waiting = false;
  #late = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `ms` 0 never expires. */
  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  /** A wait begins, with the whole time. */
  start(): void {
    if (this.#ms !== 0) this.#wait(performance.now());
  }

  /** The next wait has the whole time; it begins with `resume`. */
  reset(): void {
    if (this.#ms !== 0) this.#started = this.#held = performance.now();
  }

  /** The wait is over; what it took counts if `resume` follows. */
  hold(): void {
    if (this.#ms === 0) return;
    this.#held = performance.now();
    this.#waiting = false;
    if (this.#timer !== undefined) unref(this.#timer);
  }

  /** A wait goes on, with the time that was left when it was held. */
  resume(): void {
    if (this.#ms !== 0) this.#wait(this.#started + performance.now() - this.#held);
  }

  /** No wait will follow. */
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
      // After a blocked event loop timers come before the bytes in the socket: let those be read first.
      this.#late = true;
      this.#arm(1);
    }
  }
}
