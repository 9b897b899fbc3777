import { expect, test, vi } from 'vitest';
import { Gate, type Place, type Waiting } from '../../src/overlay/concurrency/gate.ts';
import { Registry } from '../../src/overlay/concurrency/registry.ts';
import { stoppedClock } from '../support/clock.ts';

const ask = { priority: 0, ticket: 1, max: 100, bold: false };

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
  const freed: string[] = [];
  place.onFree = (outcome) => freed.push(outcome);
  expect(gate.state.inFlight).toBe(1);
  place.free();
  place.free();
  place.end();
  place.end({ outcome: 'refused' });
  expect(gate.state).toMatchObject({ inFlight: 0, limit: 2 });
  expect(freed).toEqual(['ok']);
});

test('a failure that is found in a body after its end still teaches', () => {
  const gate = new Gate('1', 'm', 8, 1);
  const [, , late] = [gate.enter(ask), gate.enter(ask), gate.enter(ask)] as Place[];
  late?.free();
  late?.end({ outcome: 'refused' });
  expect(gate.state).toMatchObject({ inFlight: 2, limit: 2 });
});

test('a call that waits for its ceiling only does not wait for a pause', () => {
  const gate = new Gate('1', 'm', 4, 100);
  const place = gate.enter({ ...ask, max: 1 });
  const bold = waiter(1, { max: 1, bold: true });
  gate.wait(bold);
  expect(bold.place).toBeUndefined();
  place?.end({ outcome: 'overloaded' });
  expect(bold.place).toBeDefined();
});

test('the timer of a pause starts the first waiting call, and there is none without one', () => {
  const clock = stoppedClock();
  const gate = new Gate('1', 'm', 4, 100);
  (gate.enter(ask) as Place).end({ outcome: 'overloaded' });
  const [one, two] = [waiter(1), waiter(2)];
  gate.wait(two);
  gate.wait(one);
  clock.pass(399);
  expect([one.place, two.place]).toEqual([undefined, undefined]);
  clock.pass(102);
  expect(one.place).toBeDefined();
  expect(two.place).toBeUndefined();
  gate.quit(two);
  one.place?.end();
  expect(gate.state).toMatchObject({ inFlight: 0, waiting: 0, limit: 2 });
});

test('a reply that is not being read is told when calls wait for its place, and when they no longer do', () => {
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

test('calls of clients with different ceilings share a gate, and the first in line is not overtaken', () => {
  const gate = new Gate('1', 'm', 4, 1);
  const places = [gate.enter(ask), gate.enter(ask)] as Place[];
  const [small, large] = [waiter(1, { max: 2 }), waiter(2, { max: 4 })];
  gate.wait(small);
  gate.wait(large);
  expect([small.place, large.place]).toEqual([undefined, undefined]);
  places[0]?.end();
  expect([small.place, large.place]).toEqual([expect.anything(), expect.anything()]);
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
