// No text that the client cuts, and no request that it sends, contains half of a surrogate pair.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { otelHook } from '../../src/observe/index.ts';
import { fittingJson } from '../../src/observe/span-content.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { cut, wellFormed } from '../../src/overlay/json/cut.ts';
import { expectedText } from '../../src/overlay/tools/schema-check.ts';
import { onBothWays } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { telemetry } from '../support/otel.ts';

const fake = await sharedFake();
const seen = telemetry();
const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const escaped = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i;
const text = fc.string({ unit: fc.constantFrom('😀', '\ud83d', '\ude00', 'x', '\\', '"', '\\ud83d', '猫'), maxLength: 20 });

/** Encoding to UTF-8 replaces each half. */
function repaired(value: string): string {
  return Buffer.from(value).toString();
}

/** All texts in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)]) : [];
}

test('a cut text of whole characters has no half, at any length', () => {
  const whole = fc.string({ unit: fc.constantFrom('😀', 'x', '猫') });
  fc.assert(fc.property(whole, fc.nat(50), (given, length) => !half.test(cut(given, length)) && given.startsWith(cut(given, length))));
});

test('JSON text gets U+FFFD for each half, as toWellFormed has it, and the rest stays', () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.array(text)), (value) => {
      const fixed = wellFormed(JSON.stringify(value));
      const entries = Object.entries(value).map(([name, list]) => [repaired(name), list.map(repaired)] as const);
      expect(JSON.parse(fixed)).toEqual(Object.fromEntries(entries));
      expect(fixed).not.toMatch(escaped);
    }),
    { numRuns: 500 },
  );
});

test('texts for the model and attributes of spans have no half, wherever they are cut', () => {
  for (let at = 0; at < 4; at++) {
    const word = `${'x'.repeat(at)}${'😀'.repeat(1200)}`;
    const properties = { [word]: { type: 'string' }, b: { enum: [word, `${word}y`] }, c: { const: word }, d: { anyOf: [{ enum: [word] }] } };
    for (const schema of [
      { properties },
      { properties: { b: properties.b } },
      { properties: { c: properties.c } },
      { properties: { d: properties.d } },
    ])
      expect(expectedText(schema)).not.toMatch(half);
    for (let bytes = 40; bytes < 140; bytes++) expect(fittingJson([{ content: word }], bytes)).not.toMatch(escaped);
  }
});

test('the rest of the source shortens no text for an ellipsis by itself', () => {
  const own = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\.slice\(0, [^)]*\)\}(?: ?…)/.test(readFileSync(`src/${file}`, 'utf8')));
  expect(own.filter((file) => !/generated|accounts\/key\.ts|terminal\/width\.ts/.test(file))).toEqual([]);
});

onBothWays((driver, clientFor) => {
  const words = 'a \ud83d b \ude00 😀 \\ud83d';
  const sent = 'a \ufffd b \ufffd 😀 \\ud83d';

  test('the half of an emoji in a request goes out as U+FFFD', async () => {
    const client = clientFor(fake, { hooks: [otelHook({ content: 'span' })] });
    await driver.service(client).create(undefined, driver.request(words, { metadata: { [words]: words } }));
    expect(textsIn(fake.requests.at(-1)?.body).filter((one) => one === sent)).toHaveLength(3);
    expect(Buffer.from(fake.requests.at(-1)?.bytes ?? []).toString()).not.toMatch(escaped);
    expect(JSON.stringify(seen.spans().at(-1)?.attributes)).not.toMatch(/\\\\ud83d (?:b|\\)/);
  });

  test('the correction of a call whose arguments do not fit has no half', async () => {
    for (let at = 0; at < 3; at++) {
      const choices = Array.from({ length: 30 }, (_, index) => `${'x'.repeat(at)}${'😀'.repeat(100)}${index}`);
      const tool = defineTool({ name: 'pick', input: { type: 'object', properties: { one: { enum: choices } }, required: ['one'] }, run: () => '' });
      fake.answer(driver.operation, { turn: { toolCalls: [{ name: 'pick', arguments: { one: 5 } }] } }, { turn: { text: 'ok' } });
      await driver.service(clientFor(fake)).runWithTools(undefined, driver.request('Hi'), [tool] as never);
      const texts = textsIn(fake.requests.at(-1)?.body);
      expect(texts.filter((one) => half.test(one) || one.includes('\ufffd'))).toEqual([]);
      expect(texts.some((one) => one.includes('do not fit'))).toBe(true);
    }
  });
});

test('the lines of a batch have none either', async () => {
  const client = newClient(fake.configFor());
  await client
    .batch()
    .start(undefined, [{ custom_id: '1', body: { model: 'glm-5.2', messages: [{ role: 'user', content: 'a \ud83d b' }] } }] as never)
    .catch((error: unknown) => error);
  const bytes = fake.requests.map((request) => Buffer.from(request.bytes).toString());
  expect(bytes.join('')).toContain('a \ufffd b');
  expect(bytes.join('')).not.toMatch(escaped);
});
