import { describe, expect, test, vi } from 'vitest';
import { Gate, type Place, type Waiting } from '../../src/overlay/concurrency/gate.ts';
import { Registry } from '../../src/overlay/concurrency/registry.ts';
import { stoppedClock } from '../support/clock.ts';

const ask = { priority: 0, ticket: 1, max: 100, ignoresLimit: false };

/** A waiting call that keeps its place. */
function waiter(ticket: number, facts: Partial<Waiting> = {}): Waiting & { place: Place | undefined } {
  const waiting = {
    ...ask,
    ticket,
    place: undefined as Place | undefined,
    enter: (place: Place) => void (waiting.place = place),
    fail: () => {},
    ...facts,
  };
  return waiting;
}

test('a place ends once, whatever is called afterwards', () => {
  const gate = new Gate('1', 'm', 2, 1);
  const place = gate.enter(ask) as Place;
  expect(gate.state.inFlight).toBe(1);
  place.free();
  place.free();
  place.end();
  place.end({ outcome: 'refused' });
  expect(gate.state).toMatchObject({ inFlight: 0, limit: 2 });
});

test('a failure that is found in a body after its end still teaches', () => {
  const gate = new Gate('1', 'm', 8, 1);
  const [, , late] = [gate.enter(ask), gate.enter(ask), gate.enter(ask)] as Place[];
  late?.free();
  late?.end({ outcome: 'refused' });
  expect(gate.state).toMatchObject({ inFlight: 2, limit: 2 });
});

describe('a higher limit is tried only while no refused call is retried', () => {
  /** A gate with a limit of 1 and a waiting call, after the second of two calls was refused. The next success would begin a trial. */
  function afterRefusal(): { gate: Gate; trial: () => boolean; retry: () => Place } {
    const clock = stoppedClock();
    const gate = new Gate('1', 'm', 2, 1);
    const [first, second] = [gate.enter(ask), gate.enter(other)] as Place[];
    second?.end({ outcome: 'refused' });
    first?.end({ outcome: 'other' });
    expect(second?.mayRetry()).toBe(true);
    clock.pass(1000);
    const trial = (): boolean => {
      const line = [waiter(9), waiter(10)];
      const place = gate.enter(ask) as Place;
      for (const waiting of line) gate.wait(waiting);
      place.end();
      const isTrial = gate.state.limit > 1;
      for (const waiting of line) if (waiting.place) waiting.place.end({ outcome: 'other' });
      return isTrial;
    };
    return { gate, trial, retry: () => gate.enter(other) as Place };
  }
  const other = { ...ask, ticket: 2 };

  test('its success ends that', () => {
    const { trial, retry } = afterRefusal();
    expect(trial()).toBe(false);
    retry().end();
    expect(trial()).toBe(true);
  });

  test('so does another failure', () => {
    const { trial, retry } = afterRefusal();
    retry().end({ outcome: 'other' });
    expect(trial()).toBe(true);
  });

  test('so does the end of the call between two attempts', () => {
    const { gate, trial } = afterRefusal();
    gate.settle(other);
    expect(trial()).toBe(true);
  });

  test('another refusal does not, if the call is retried once more', () => {
    const { gate, trial, retry } = afterRefusal();
    const place = retry();
    const beside = gate.enter({ ...ask, ignoresLimit: true });
    place.end({ outcome: 'refused' });
    place.mayRetry();
    beside?.end({ outcome: 'other' });
    expect(trial()).toBe(false);
  });
});

test('a call that waits for its ceiling only does not wait for a pause', () => {
  const gate = new Gate('1', 'm', 4, 100);
  const place = gate.enter({ ...ask, max: 1 });
  const unlimited = waiter(1, { max: 1, ignoresLimit: true });
  gate.wait(unlimited);
  expect(unlimited.place).toBeUndefined();
  place?.end({ outcome: 'overloaded' });
  expect(unlimited.place).toBeDefined();
});

test('the timer of a pause starts the first waiting call, and there is none without one', () => {
  const clock = stoppedClock();
  const gate = new Gate('1', 'm', 4, 100);
  (gate.enter(ask) as Place).end({ outcome: 'overloaded' });
  const [one, two] = [waiter(1), waiter(2)];
  gate.wait(two);
  gate.wait(one);
  clock.pass(299);
  expect([one.place, two.place]).toEqual([undefined, undefined]);
  clock.pass(102);
  expect(one.place).toBeDefined();
  expect(two.place).toBeUndefined();
  gate.quit(two);
  one.place?.end();
  expect(gate.state).toMatchObject({ inFlight: 0, waiting: 0, limit: 2 });
});

test('a reply that is not being read is notified when calls wait for its place, and when they no longer do', () => {
  const gate = new Gate('1', 'm', 1, 1);
  const place = gate.enter(ask) as Place;
  const told: boolean[] = [];
  place.whenWanted((wanted) => told.push(wanted));
  const [one, two] = [waiter(1), waiter(2)];
  gate.wait(one);
  gate.wait(two);
  gate.quit(one);
  expect(told).toEqual([true]);
  gate.quit(two);
  expect(told).toEqual([true, false]);
  gate.wait(waiter(3));
  place.end();
  expect(told).toEqual([true, false, true]);
});

describe('clients with different ceilings', () => {
  test('a call that its own ceiling holds does not hold the calls of others', () => {
    const gate = new Gate('1', 'm', 9, 1);
    const running = gate.enter({ ...ask, max: 1 });
    const [held, next] = [waiter(1, { max: 1 }), waiter(3, { max: 1 })];
    gate.wait(next);
    gate.wait(held);
    // Neither one that comes, nor one that waits already.
    expect(gate.enter({ ...ask, max: 9, ticket: 4 })).toBeDefined();
    const unlimited = waiter(2, { max: 1, ignoresLimit: true });
    gate.wait(unlimited);
    expect(gate.state).toMatchObject({ inFlight: 2, waiting: 3 });
    running?.end();
    expect([held.place, next.place, unlimited.place]).toEqual([expect.anything(), undefined, undefined]);
    held.place?.end();
    expect([next.place, unlimited.place]).toEqual([undefined, expect.anything()]);
  });

  test('a ceiling bounds the calls that have it or a lower one, and no others', () => {
    const gate = new Gate('1', 'm', 100, 1);
    const entered = (max: number): boolean => gate.enter({ ...ask, max }) !== undefined;
    expect([entered(5), entered(5), entered(5)]).toEqual([true, true, true]);
    expect([entered(2), entered(2), entered(2)]).toEqual([true, true, false]);
    expect([entered(5), entered(3), entered(6), entered(6)]).toEqual([false, false, true, false]);
    expect(entered(Number.POSITIVE_INFINITY)).toBe(true);
  });

  test('the learned limit is shared in the order of the line, whatever the ceilings', () => {
    const gate = new Gate('1', 'm', 1, 1);
    let place = gate.enter({ ...ask, max: 9 });
    const order: number[] = [];
    const waiters = [5, 1, 3, 2, 4].map((ticket) =>
      waiter(ticket, {
        max: 1 + (ticket % 3),
        enter: (granted) => {
          order.push(ticket);
          place = granted;
        },
      }),
    );
    for (const waiting of waiters) gate.wait(waiting);
    // An end without effect on the limit.
    while (gate.inFlight > 0) place?.end({ outcome: 'other' });
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  test('the limit grows for the highest ceiling that waits, whoever is the first', () => {
    const gate = new Gate('1', 'm', 1, 1);
    const place = gate.enter({ ...ask, max: 1 });
    gate.wait(waiter(1, { max: 1 }));
    for (let ticket = 2; ticket < 9; ticket++) gate.wait(waiter(ticket, { max: 20 }));
    place?.end();
    expect(gate.state).toMatchObject({ limit: 3, inFlight: 3 });
  });

  test('the highest start of the clients of a gate counts, until something is learned', () => {
    const registry = new Registry();
    const gate = registry.gate('g', 'm', 1, 1);
    registry.gate('g', 'm', 8, 1);
    registry.gate('g', 'm', 2, 1);
    expect(gate.state.limit).toBe(8);
    const [, , place] = [gate.enter(ask), gate.enter(ask), gate.enter(ask)] as Place[];
    place?.end({ outcome: 'refused' });
    registry.gate('g', 'm', 8, 1);
    expect(gate.state.limit).toBe(2);
  });

  test('the line is not searched for each start: calls that wait for another ceiling are free', () => {
    let looks = 0;
    const gate = new Gate('1', 'm', 100, 1);
    gate.enter({ ...ask, max: 1 });
    for (let ticket = 1; ticket <= 5000; ticket++) {
      const waiting = waiter(ticket, { max: 1 });
      Object.defineProperty(waiting, 'left', { get: () => void looks++, set: () => {} });
      gate.wait(waiting);
    }
    looks = 0;
    for (let count = 0; count < 100; count++) (gate.enter({ ...ask, max: 9 }) as Place).end();
    expect(looks / 100).toBeLessThan(20);
  });
});

test('an unused gate is forgotten after ten minutes, and one in use is not', () => {
  const clock = stoppedClock();
  const registry = new Registry();
  const [idle, busy] = [registry.gate('idle', 'm', 2, 1), registry.gate('busy', 'm', 2, 1)];
  const place = busy.enter(ask) as Place;
  clock.pass(10 * 60_000);
  expect(registry.gate('idle', 'm', 2, 1)).toBe(idle);
  clock.pass(1);
  expect(registry.gate('idle', 'm', 2, 1)).not.toBe(idle);
  expect(registry.gate('busy', 'm', 2, 1)).toBe(busy);
  place.end();
  clock.pass(10 * 60_000);
  expect(registry.find('busy')).toBe(busy);
});

test('a new gate looks at a few others, however many there are, and new ones take the place of forgotten ones', () => {
  const clock = stoppedClock();
  const registry = new Registry();
  const looks = vi.spyOn(Gate.prototype, 'inFlight', 'get');
  const most = 1000;
  const makeAll = (generation: string): void => {
    for (let index = 0; index < most; index++) {
      looks.mockClear();
      registry.gate(`${generation} ${index}`, 'm', 2, 1);
      expect(looks.mock.calls.length).toBeLessThanOrEqual(2);
    }
  };
  makeAll('a');
  clock.pass(10 * 60_000 + 1);
  makeAll('b');
  const left = Array.from({ length: most }, (_, index) => registry.find(`a ${index}`)).filter((gate) => gate !== undefined);
  expect(left).toEqual([]);
});
