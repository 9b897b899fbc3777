// References within a schema have one reading: in the rewriter of tools, in the repair of arguments, and in the fake.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineTool, newClient, outputFormat, sanitizeToolSchemas } from '../../src/overlay/index.ts';
import { namesOf, stepInto, valueAt } from '../../src/overlay/json/pointer.ts';
import { openFake } from '../support/fake.ts';

const number = { type: 'integer', minimum: 3 };
const references: readonly [reference: string, more: object][] = [
  ['#/$defs/100%', { $defs: { '100%': number } }],
  ['#/$defs/a~2b', { $defs: { 'a~2b': number } }],
  ['#/$defs/a~1b', { $defs: { 'a/b': number } }],
  ['#/$defs/a~0b', { $defs: { 'a~b': number } }],
  ['#/$defs/a%2Fb', { $defs: { 'a/b': number } }],
  ['#/$defs/a%2Fb', { $defs: { a: { b: number } } }],
  ['#/$defs/caf%C3%A9', { $defs: { café: number } }],
  ['#/$defs/list/0', { $defs: { list: [number] } }],
  ['#/$defs/__proto__', JSON.parse(`{"$defs":{"__proto__":${JSON.stringify(number)}}}`) as object],
];

test.each(references)('%s', async (reference, more) => {
  const input = { type: 'object', properties: { x: { $ref: reference } }, required: ['x'], ...more } as const;
  const tool = defineTool({ name: 'f', input, run: () => 'ok' });
  const [sent] = sanitizeToolSchemas([{ type: 'function' as const, function: { name: 'f', parameters: input as Record<string, unknown> } }]);
  expect(sent?.function.parameters).toMatchObject({ properties: { x: { type: 'integer' } } });
  expect((await tool.prepare('{"x":"3"}')).input).toEqual({ x: 3 });
  const { fake } = await openFake();
  const format = outputFormat(input);
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'In JSON, please.' }], response_format: format };
  const reply = await newClient(fake.configFor()).chat().create(undefined, request);
  expect(await format.parse(reply)).toEqual({ x: 3 });
});

test.each(['#/$defs/none', '#/$defs/list/01', '#/$defs/list/length', '#/$defs/toString', 'other.json#/a', '#anchor'])(
  '%s leads nowhere',
  (reference) => {
    expect(valueAt({ $defs: { list: [1] } }, reference)).toBeUndefined();
  },
);

test('names come back from a pointer as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (names) => {
      expect(namesOf(names.reduce((at, name) => stepInto(at, name), '#'))).toEqual(names);
    }),
  );
});
