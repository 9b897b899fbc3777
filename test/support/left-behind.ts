import { afterAll, beforeAll, expect, vi } from 'vitest';

// Test files that share a process must leave it as they found it. The state is compared by name: a value may be a secret of the machine.

type State = ReadonlyMap<string, unknown>;

function stateOf(): State {
  return new Map<string, unknown>([
    ['the working directory', process.cwd()],
    ['the exit code', process.exitCode],
    ['Error.stackTraceLimit', Error.stackTraceLimit],
    ['fake timers', vi.isFakeTimers()],
    ...Object.entries(process.env).map(([name, value]) => [`variable ${name}`, value] as const),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    // Libraries that were loaded in a test keep what they share under names with `__`.
    ...Object.getOwnPropertyNames(globalThis).flatMap((name) =>
      name.startsWith('__') ? [] : [[`global ${name}`, Reflect.get(globalThis, name) as unknown] as const],
    ),
  ]);
}

function changes(before: State, after: State): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !Object.is(before.get(name), after.get(name)));
}

let before: State;

beforeAll(() => {
  before = stateOf();
});

afterAll(() => {
  expect(changes(before, stateOf()), 'changed, and not put back').toEqual([]);
});
