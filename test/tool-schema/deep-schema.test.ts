import { describe, expect, it } from 'vitest';
import { defineTool, isModelsvcError, sanitizeToolSchemas } from '../../src/overlay/index.ts';
import type { JsonSchema } from '../../src/types/index.ts';
import { chatAnswer, messageAnswer, scriptedModel } from '../support/scripted-model.ts';

/** Deeper than any stack. */
const levels = 100_000;

function nested(wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = wrap(schema);
  return schema;
}

const inside = nested((a) => ({ type: 'object', properties: { a } }));
const user = [{ role: 'user', content: 'x' }] as const;

describe('a schema nested 100,000 deep', () => {
  it('is a ValidationError on chat where schemas cannot be rewritten, and no request is sent', async () => {
    const model = await scriptedModel(chatAnswer({ content: 'x' }));
    const tools = [{ type: 'function', function: { name: 'f', description: '', parameters: inside as Record<string, unknown> } }];
    const error = await model.client
      .chat()
      .create(undefined, { model: 'glm-4.6', messages: [...user], tools } as never)
      .catch((reason: unknown) => reason);
    expect(isModelsvcError(error, 'validation'), String(error)).toBe(true);
    expect(model.requests).toHaveLength(0);
  });

  it('is a ValidationError on the message surface, in a typed tool too', async () => {
    const model = await scriptedModel(messageAnswer([{ type: 'text', text: 'x' }]));
    const tool = defineTool({ name: 'f', description: '', input: inside, run: () => '' });
    const error = await model.client
      .anthropic()
      .runWithTools(undefined, { model: 'glm-4.6', max_tokens: 9, messages: [...user] } as never, [tool])
      .catch((reason: unknown) => reason);
    expect(isModelsvcError(error, 'validation'), String(error)).toBe(true);
    expect(model.requests).toHaveLength(0);
  });

  it.each([
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
