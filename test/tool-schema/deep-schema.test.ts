import { describe, expect, it } from 'vitest';
import { type JsonSchema, sanitizeToolSchemas } from '../../src/overlay/index.ts';

/** Deeper than any stack. */
const levels = 100_000;

function nested(wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = wrap(schema);
  return schema;
}

describe('a schema nested 100,000 deep', () => {
  it.each([
    ['objects', (a: JsonSchema) => ({ type: 'object', properties: { a } })],
    ['unions', (one: JsonSchema) => ({ anyOf: [one, { type: 'null' }] })],
    ['intersections', (one: JsonSchema) => ({ allOf: [one] })],
    ['properties around a union', (one: JsonSchema) => ({ type: 'object', properties: { a: one, b: { anyOf: [{}] } } })],
    ['identifiers', (one: JsonSchema) => ({ $id: 'a/', $ref: 'b.json', not: one })],
  ])('of %s is rewritten to what can be sent', (_, wrap) => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: nested(wrap) } }];
    expect(JSON.stringify(sanitizeToolSchemas(tools)).length).toBeLessThan(700_000);
  });

  it('in a pattern, a constant or an enum does not overflow the stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < levels; level++) deep = [deep];
    for (const keyword of ['pattern', 'format', 'const', 'multipleOf'])
      expect(() => sanitizeToolSchemas([{ input_schema: { allOf: [{ [keyword]: deep }, { [keyword]: [deep] }] } }])).not.toThrow();
  });
});
