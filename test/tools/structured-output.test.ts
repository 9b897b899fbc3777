import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isModelsvcError, OutputError, outputFormat } from '../../src/overlay/index.ts';
import { chatAnswer, scriptedModel } from '../support/scripted-model.ts';

const city = z.object({ name: z.string(), people: z.number().transform((count) => count / 1000) });

describe('structured output', () => {
  it('is a response_format that reads the answer too', async () => {
    const model = await scriptedModel(chatAnswer({ content: '{"name":"Metz","people":120000}' }));
    const format = outputFormat(city, { name: 'city' });
    const response = await model.client
      .chat()
      .create(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'x' }], response_format: format });
    expect(await format.parse(response)).toEqual({ name: 'Metz', people: 120 });
    expect(model.requests[0]?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'city',
        strict: true,
        schema: { type: 'object', properties: { name: { type: 'string' }, people: { type: 'number' } }, required: ['name', 'people'] },
      },
    });
  });

  it('asks for any JSON where the vendor supports no schemas, and puts the schema in words', () => {
    const format = outputFormat(type({ name: 'string' }), { type: 'json_object' });
    expect(JSON.parse(JSON.stringify(format))).toEqual({ type: 'json_object' });
    expect(format.instructions).toContain('"name":{"type":"string"}');
  });

  it.each(['1e999', '-1E+400', `1${'0'.repeat(309)}`, '2512292042121000001'])(
    'a number does not hold %s: a text or an error, never another value',
    async (digits) => {
      const answer = `{"people":[${digits}]}`;
      expect(await outputFormat(z.object({ people: z.array(z.union([z.number(), z.string()])) })).parse(answer)).toEqual({ people: [digits] });
      const plain = { type: 'object', properties: { people: { type: 'array', items: { type: 'number' } } } } as const;
      for (const schema of [plain, z.object({ people: z.array(z.coerce.number().int()) })])
        await expect(outputFormat(schema).parse(answer)).rejects.toThrow(/does not match the schema(?: at|:) people\[0\]/);
    },
  );

  it.each([
    ['cut', chatAnswer({ content: '{"name":"Me' }, 'length'), 'unfinished', 'the answer is incomplete'],
    ['not JSON', chatAnswer({ content: 'Sorry, secret words' }), 'malformed', 'the answer is not JSON (19 characters)'],
    ['empty', chatAnswer({ content: null }), 'malformed', 'the answer is not JSON (0 characters)'],
    ['a misfit', chatAnswer({ content: '{"name":"secret words"}' }), 'invalid', 'does not match the schema at people. '],
  ])('an answer that is %s throws, and the message does not quote it', async (_, response, problem, words) => {
    const error = await outputFormat(city)
      .parse(response as never)
      .catch((reason: unknown) => reason);
    expect(isModelsvcError(error, 'output')).toBe(true);
    if (!(error instanceof OutputError)) return;
    expect(error.problem).toBe(problem);
    expect(error.message).toContain(words);
    expect(error.message + JSON.stringify(error)).not.toContain('secret');
    expect(error.issues.map(({ path }) => path)).toEqual({ invalid: ['people'], malformed: [''] }[problem] ?? []);
  });

  it('checks JSON Schema alone for plain faults', async () => {
    const format = outputFormat({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
    expect(await format.parse('{"n":1}')).toEqual({ n: 1 });
    await expect(format.parse('{"n":"1"}')).rejects.toMatchObject({ problem: 'invalid' });
  });

  it('refuses a schema that no request can carry, as a ValidationError', () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) deep = { not: deep };
    expect(() => outputFormat(deep)).toThrow('outputFormat: schema cannot be written as JSON');
  });

  it('gives an OutputError when the validator itself fails, as on an answer that is too deep for it', async () => {
    const failing = {
      schema: { '~standard': { version: 1, vendor: 'x', validate: () => Promise.reject(new RangeError('stack')) } },
      jsonSchema: {},
    } as const;
    await expect(outputFormat(failing).parse('{}')).rejects.toMatchObject({ name: 'OutputError', problem: 'invalid', cause: { message: 'stack' } });
  });
});
