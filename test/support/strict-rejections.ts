import { onTestFinished } from 'vitest';

/** Collects unhandled rejections. `settled` waits until Node has reported them. */
export function strictRejections(): { readonly seen: readonly unknown[]; settled(): Promise<readonly unknown[]> } {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return {
    seen,
    async settled() {
      // Node reports them after the microtasks of a turn.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      return seen;
    },
  };
}
