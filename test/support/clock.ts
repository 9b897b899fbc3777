import { onTestFinished, vi } from 'vitest';

/** One turn of the event loop: every socket of this process that is ready is served. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Turns of the event loop that suffice for all pending I/O between servers and clients of this process, on a busy machine too. */
export async function turns(count = 50): Promise<void> {
  for (let index = 0; index < count; index++) await turn();
}

/** Waits for I/O without a clock, because the test may have stopped it. Fails only by the timeout of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** Waits until a figure has been the same for many turns, and returns it. */
export async function settled(figure: () => number): Promise<number> {
  let last = figure();
  for (let still = 0; still < 200; still++) {
    await turn();
    if (figure() === last) continue;
    last = figure();
    still = 0;
  }
  return last;
}

/** A clock that the test moves. */
export interface StoppedClock {
  /** Let this many milliseconds pass at once. */
  pass(ms: number): void;
  /** Let time pass, `stepMs` for each turn of the event loop, until the work has settled. */
  run<T>(work: Promise<T>, stepMs?: number): Promise<T>;
  /** Let time pass, `stepMs` for each turn of the event loop, until the condition is true. */
  until(condition: () => boolean, stepMs?: number): Promise<void>;
}

/** Stops the timers and the clock that the library reads, until the end of the test. Sockets and the fake service continue. */
export function stoppedClock(): StoppedClock {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
  const passUntil = async (condition: () => boolean, stepMs = 1): Promise<void> => {
    while (!condition()) {
      pass(stepMs);
      await turn();
    }
  };
  return {
    pass,
    until: passUntil,
    async run(work, stepMs) {
      let over = false;
      const mark = (): void => {
        over = true;
      };
      work.then(mark, mark);
      await passUntil(() => over, stepMs);
      return work;
    },
  };
}
