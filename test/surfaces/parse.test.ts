// `parse` on each surface: ask for JSON of a schema, judge the answer, and give its typed value with the reply.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Client, newClient, outputFormat, responseInfo } from '../../src/overlay/index.ts';
import type { Turn } from '../../src/testing/index.ts';
import { type SurfaceName, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

const schema = z.object({ answer: z.string().transform((text) => text.length) });
const format = outputFormat(schema);
const model = 'glm-5.2';
const user = { role: 'user', content: 'Is 91 prime?' };

interface Parser {
  readonly parse: (client: Client, request: object, given?: unknown) => Promise<{ readonly parsed: { readonly answer: number } }>;
  readonly request: object;
  /** The request with a system prompt of its own. */
  withSystem(system: unknown): object;
  /** The system prompt in a body. */
  systemIn(body: never): unknown;
  /** The field that asks for JSON, and its value. */
  readonly json: readonly [name: string, value: unknown] | undefined;
}

const message = { model, max_tokens: 100, messages: [user] };
const parsers: Readonly<Record<SurfaceName, Parser>> = {
  chat: {
    parse: (client, request, given = format) => client.chat().parse(undefined, request as never, given as typeof format),
    request: { model, messages: [user] },
    withSystem: (content) => ({ model, messages: [{ role: 'system', content }, user] }),
    systemIn: ({ messages: [first] }: { messages: { content: unknown }[] }) => first?.content,
    json: ['response_format', { type: 'json_object' }],
  },
  messages: {
    parse: (client, request, given = format) => client.anthropic().parse(undefined, request as never, given as typeof format),
    request: message,
    withSystem: (system) => ({ ...message, system }),
    systemIn: ({ system }: { system: unknown }) => system,
    json: undefined,
  },
  responses: {
    parse: (client, request, given = format) => client.responses().parse(undefined, request as never, given as typeof format),
    request: { model, input: 'Is 91 prime?' },
    withSystem: (instructions) => ({ model, input: 'Is 91 prime?', instructions }),
    systemIn: ({ instructions }: { instructions: unknown }) => instructions,
    json: ['text', { format: { type: 'json_object' } }],
  },
};

describe.each(surfaces.map(({ surface, operation }) => ({ surface, operation, ...parsers[surface] })))(
  '$surface',
  ({ surface, operation, parse, request, withSystem, systemIn, json }) => {
    const method = `${operation.split('.')[0]}.parse`;

    test('has the validated value, which JSON does not contain; the request keeps its system prompt', async () => {
      const { fake, client } = await openFake();
      const turn = { reasoning: 'so', text: '```json\n{"answer": "no"}\n```' };
      fake.answer(operation, { turn }, { turn });
      const own = withSystem('Be brief.');
      const before = JSON.stringify(own);
      const reply = await parse(client, own);
      const length: number = reply.parsed.answer;
      expect([length, Object.keys(reply).includes('parsed'), JSON.stringify(own) === before]).toEqual([2, false, true]);
      expect(responseInfo(reply as never)).toMatchObject({ status: 200 });
      const [asked] = fake.requests.map(({ body }) => body as Record<string, unknown>);
      expect(systemIn(asked as never)).toMatch(/^Be brief\.\n\nAnswer only with JSON .*"answer"/);
      if (json) expect(asked?.[json[0]]).toEqual(json[1]);
      await parse(client, request);
      expect(systemIn(fake.requests.at(-1)?.body as never)).toMatch(/^Answer only with JSON /);
    });

    test('a reply that does not match is an OutputError with the text, after one request', async () => {
      const turns: readonly (readonly [turn: Turn & { text: string }, problem: string])[] = [
        [{ text: '{"answer": 5}' }, 'invalid'],
        [{ text: 'No.' }, 'malformed'],
        [{ text: '{"answer": "n', finish: 'length' }, 'unfinished'],
      ];
      const { fake } = await openFake();
      for (const [turn, problem] of turns) {
        fake.reset().answer(operation, { turn });
        const error = await failure(parse(newClient(fake.configFor()), request));
        expect(error).toMatchObject({ kind: 'output', problem, text: turn.text });
        expect(fake.requests).toHaveLength(1);
      }
    });

    test('bad input is refused before the network', async () => {
      const { fake, client } = await openFake();
      const bad: readonly (readonly [request: unknown, given: unknown, rule: string])[] = [
        ...(json ? ([[{ ...request, [json[0]]: json[1] }, format, 'is set by parse: leave it out']] as const) : []),
        ...(surface === 'chat' ? [] : ([[withSystem(5), format, 'must be a string']] as const)),
        [request, schema, 'format must be made by outputFormat'],
        [request, null, 'format must be made by outputFormat'],
        [undefined, format, 'the request must be an object'],
        [{ ...request, stream: true }, format, 'stream must not be true here'],
        [{ ...request, model: '' }, format, 'model'],
        [{ model }, format, ''],
      ];
      for (const [given, source, rule] of bad) {
        const error = (await failure(parse(client, given as object, source))) as Error;
        expect(error.message).toContain(`${method}: `);
        expect(error.message).toContain(rule);
      }
      expect(fake.requests).toHaveLength(0);
    });
  },
);
