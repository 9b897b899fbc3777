/** The faults of a check as JSON. The service, which runs in another process, makes them. */
import type { Fault, faults as menu } from '../../../src/testing/faults.ts';
import type { Reply } from '../../../src/testing/replies/reply.ts';

/** The name of a function of `faults`, with its arguments. */
export interface AskedFault {
  readonly fault: keyof typeof menu;
  readonly args: readonly unknown[];
  readonly reply?: Reply;
}

/** Replaces `faults`. A call returns an AskedFault; as a list, it has itself as its item. */
export const faults: typeof menu = new Proxy({} as typeof menu, {
  get:
    (_, fault: keyof typeof menu) =>
    (...args: readonly unknown[]): AskedFault => {
      const asked = { fault, args };
      return Object.defineProperty(asked, Symbol.iterator, { value: () => [asked].values() });
    },
});

/** The faults that were asked for. */
export function made({ fault, args, reply }: AskedFault, from: typeof menu): Fault[] {
  const one = from[fault] as (...args: readonly unknown[]) => Fault | readonly Fault[];
  // JSON has null for undefined.
  return [one(...args.map((arg) => arg ?? undefined))].flat().map((each) => (reply === undefined ? each : { ...each, reply }));
}
