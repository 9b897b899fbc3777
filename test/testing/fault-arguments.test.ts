import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faultTexts } from '../../src/generated/faults.ts';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { faultArguments } from '../../src/testing/faults/arguments.ts';
import { type FakeService, type Fault, fakeKey, faults, startFakeService } from '../../src/testing/index.ts';

type Maker = (...values: unknown[]) => Fault | readonly Fault[];

const odd = [
  undefined,
  null,
  true,
  '',
  'x',
  '1',
  'a\nb',
  '文',
  -1,
  0,
  0.5,
  1,
  99,
  200,
  600,
  1e12,
  1e18,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  {},
  [],
  { seconds: '1' },
  { ms: Number.NaN },
  { dateInMs: 1e300 },
  { text: 'a\nb' },
  { 'a b': 'c' },
  { a: 'b\n' },
];
const named = faultTexts.map(([signature]) => [/^\w+/.exec(signature)?.[0] ?? '', /\((.*)\)/.exec(signature)?.[1]?.split(', ') ?? []] as const);
/** Right arguments, so that each case has one odd argument. */
const right: Readonly<Record<string, unknown>> = { ms: 0, status: 200, code: '1', count: 1, location: '/', seconds: 1, bytes: 10 };
const cells = named
  .filter(([name]) => name !== 'all')
  .flatMap(([name, words]) => words.map((word, index) => ({ name, argument: /^\w+/.exec(word)?.[0] ?? '', index, isOptional: /[?=]/.test(word) })));

let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
});
afterAll(() => fake.close());
beforeEach(() => void fake.reset());

describe('arguments of faults', () => {
  it('each has a rule, in the order of its function', () => {
    const asWritten = Object.fromEntries(
      named
        .filter(([name, words]) => words.length > 0 && name !== 'all')
        .map(([name, words]) => [name, words.map((word) => word.replace(/ =.*/, '?'))]),
    );
    expect(Object.fromEntries(Object.entries(faultArguments).map(([name, rules]) => [name, Object.keys(rules)]))).toEqual(asWritten);
  });

  it.each(cells)(
    '$name: a wrong $argument is refused where it is asked, and a right one never fails later',
    async ({ name, argument, index, isOptional }) => {
      const make = faults[name as keyof typeof faults] as Maker;
      const others = cells.filter((one) => one.name === name && one.index < index).map((one) => (one.isOptional ? undefined : right[one.argument]));
      const accepted: Fault[] = [];
      let refused = 0;
      for (const value of odd) {
        try {
          accepted.push(
            ...[
              make(
                ...others,
                value,
                ...cells.filter((one) => one.name === name && one.index > index && !one.isOptional).map((one) => right[one.argument]),
              ),
            ]
              .flat()
              .slice(0, 1),
          );
        } catch (error) {
          expect(isModelsvcError(error, 'validation') && error.path).toMatch(new RegExp(`^${argument}\\b`));
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(0);
      if (isOptional) expect(() => make(...others, undefined)).not.toThrow();
      const ways = accepted.flatMap((fault) => [true, false].map((stream) => ({ fault, stream })));
      fake.answer('chat.create', ...ways.map((way) => way.fault));
      const begins = await Promise.all(ways.map(({ stream }) => begin(stream)));
      expect(begins.filter((text) => text.includes("the fake's script failed"))).toEqual([]);
    },
  );

  it.each([
    ['gzip', [5]],
    ['error', [500, '1', 'x', {}, 1]],
    ['slowHeaders', [1, 2]],
  ] as const)('%s refuses an argument that it does not have', (name, values) => {
    expect(() => (faults[name] as Maker)(...values)).toThrow(/is one too many/);
  });

  it.each([[undefined], ['gzip'], [{}], [{ fault: 'gzip' }], [[]]])('all refuses %j', (value) => {
    expect(() => faults.all(faults.gzip(), value as Fault)).toThrow(/list\[1\] must be a fault of the menu/);
  });
});

/** The first bytes of a reply, or an empty text if the fault sends none in time. */
async function begin(stream: boolean): Promise<string> {
  const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'glm-5.3', messages: [{ role: 'user', content: 'Hi' }], stream });
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 30);
  try {
    const reply = await fetch(`${fake.url}/chat/completions`, { method: 'POST', headers, body, signal: stop.signal, redirect: 'manual' });
    const first = await reply.body?.getReader().read();
    return new TextDecoder().decode(first?.value);
  } catch {
    return '';
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
