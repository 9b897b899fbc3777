import type { Answer, FakeService, ScriptedOperation } from '../../src/testing/index.ts';

/** Answers that wait for the test. */
export interface Held {
  /** Number of requests that wait for their answer. */
  readonly count: number;
  /** Answer the oldest ones. Default: one. */
  release(count?: number): void;
  /** Answer all, and those that come later at once. */
  open(): void;
}

/** Let the turns of an operation wait for the test, instead of the fake's examples. */
export function held(fake: FakeService, operation: ScriptedOperation = 'chat.create'): Held {
  const waiting: (() => void)[] = [];
  const turn = { turn: { text: 'held' } };
  const answer: Answer = () => new Promise((resolve) => waiting.push(() => resolve(turn)));
  fake.fallback(operation, answer);
  return {
    get count() {
      return waiting.length;
    },
    release(count = 1) {
      for (const goOn of waiting.splice(0, count)) goOn();
    },
    open() {
      fake.fallback(operation, turn);
      for (const goOn of waiting.splice(0)) goOn();
    },
  };
}
