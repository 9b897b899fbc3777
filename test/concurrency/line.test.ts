import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ceilings } from '../../src/overlay/concurrency/ceilings.ts';
import { Lane, type Limits, Line, type LineEntry } from '../../src/overlay/concurrency/line.ts';

/** The order that the line promises, the slow way. */
function sorted(waiters: readonly LineEntry[]): LineEntry[] {
  return [...waiters].sort((one, other) => other.priority - one.priority || one.ticket - other.ticket);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const steps = fc.array(
  fc.oneof(
    fc.record({ priority: fc.integer({ min: -2, max: 2 }), ticket: fc.integer({ min: 0, max: 50 }) }),
    fc.constant('take' as const),
    fc.record({ leave: fc.nat(10) }),
    fc.record({ again: fc.integer({ min: 0, max: 50 }) }),
    fc.constant('clear' as const),
  ),
  { maxLength: 200 },
);

test('takes come by priority, then by ticket, then as they joined, whoever leaves or joins again in between', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const line = new Lane<LineEntry>();
      let model: LineEntry[] = [];
      let taken: Mutable<LineEntry> | undefined;
      for (const step of all) {
        if (step === 'clear') {
          expect(line.clear()).toEqual(model);
          model = [];
        } else if (step === 'take') {
          expect(line.first).toBe(model[0]);
          taken = model.shift();
          if (taken) line.leave(taken);
        } else if ('again' in step) {
          // A refused call joins again.
          if (!taken) continue;
          taken.ticket = step.again;
          taken.left = false;
          line.join(taken);
          model = sorted([...model, taken]);
          taken = undefined;
        } else if ('leave' in step) {
          const one = model[step.leave];
          if (!one) continue;
          line.leave(one);
          line.leave(one);
          model.splice(step.leave, 1);
        } else {
          const waiter: LineEntry = { ...step };
          line.join(waiter);
          model = sorted([...model, waiter]);
        }
        expect(line.size).toBe(model.length);
        expect(line.first).toBe(model[0]);
      }
    }),
  );
});

test('of lines with different limits, the first is the one that a single line would give to those whose limits let them go', () => {
  const waiter = fc.record({
    priority: fc.integer({ min: -1, max: 1 }),
    ticket: fc.nat(30),
    max: fc.integer({ min: 1, max: 3 }),
    ignoresLimit: fc.boolean(),
  });
  const held = fc.record({ full: fc.nat(3), isOpen: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.oneof(waiter, held), { maxLength: 100 }), (all) => {
      const line = new Line<Mutable<LineEntry> & Limits>();
      let model: (LineEntry & Limits)[] = [];
      for (const step of all) {
        if ('ticket' in step) {
          // No two calls have a ticket and a priority in common, except for calls of one run.
          if (model.some(({ ticket }) => ticket === step.ticket)) continue;
          line.join(step);
          model.push(step);
        } else {
          const isFree = ({ max, ignoresLimit }: Limits): boolean => max > step.full && (ignoresLimit || step.isOpen);
          const first = line.first(isFree);
          expect(first).toBe(sorted(model).find((one) => isFree(one as LineEntry & Limits)));
          if (first) line.leave(first);
          model = model.filter((one) => one !== first);
        }
        expect(line.size).toBe(model.length);
        expect(line.highest).toBe(Math.max(0, ...model.map(({ max }) => max)));
      }
      expect(sorted(line.clear())).toEqual(sorted(model));
      expect([line.size, line.first(() => true)]).toEqual([0, undefined]);
    }),
  );
});

test('a ceiling is reached by the calls that have it or a lower one, and holds those only', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ max: fc.integer({ min: 1, max: 6 }), ends: fc.boolean() }), { maxLength: 100 }), (steps) => {
      const ceilings = new Ceilings();
      const running: number[] = [];
      const upTo = (max: number): number => running.filter((one) => one <= max).length;
      for (const { max, ends } of steps) {
        if (ends) {
          const at = running.indexOf(max);
          if (at < 0) continue;
          running.splice(at, 1);
          ceilings.add(max, -1);
        } else if (max > ceilings.full) {
          running.push(max);
          ceilings.add(max, 1);
        }
        for (const one of running) expect(upTo(one)).toBeLessThanOrEqual(one);
        for (let one = 1; one <= 6; one++) expect(one > ceilings.full, `${one}`).toBe(!running.some((high) => high >= one && upTo(high) >= high));
      }
    }),
  );
});

/** A waiter that counts how often the line looks at it. */
class Counted implements LineEntry {
  static looks = 0;
  readonly priority = 0;
  readonly #ticket: number;
  #left = false;

  constructor(ticket: number) {
    this.#ticket = ticket;
  }

  get ticket(): number {
    Counted.looks++;
    return this.#ticket;
  }

  get left(): boolean {
    Counted.looks++;
    return this.#left;
  }

  set left(left: boolean) {
    Counted.looks++;
    this.#left = left;
  }
}

test.each<[string, (waiters: Counted[]) => Counted[]]>([
  ['from the end', (waiters) => [...waiters].reverse()],
  ['from the head', (waiters) => waiters],
  ['in the middle', (waiters) => waiters.map((_, index) => waiters[(index * 7919) % waiters.length] as Counted)],
])('leaving %s costs the same however many wait', (_name, order) => {
  const looksAt = (count: number): number => {
    const line = new Lane<Counted>();
    const waiters = Array.from({ length: count }, (_, ticket) => new Counted(ticket));
    for (const waiter of waiters) line.join(waiter);
    Counted.looks = 0;
    for (const waiter of order(waiters)) {
      line.leave(waiter);
      expect(line.first === undefined).toBe(line.size === 0);
    }
    return Counted.looks / count;
  };
  expect(looksAt(10_000)).toBeLessThan(12);
});
