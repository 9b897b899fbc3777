// A decision about an answer is made once: the tools that run, the messages that go back and the reports agree, on each surface and in each way.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, defineTool, finishError, isApiError, newClient, toolRun, usageMeter } from '../../src/overlay/index.ts';
import type { UsageCount } from '../../src/types/index.ts';
import { collectedOf, looped, type SurfaceName, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { isJson, listOf, replyText, resultOf, ways } from './ways-back.ts';

/** Arguments as models write them, the value that `run` gets, and the form that goes back. Undefined if they cannot be read. */
const written: readonly [kind: string, text: string, input: object | undefined, sent: string | undefined][] = [
  ['blanks', '{ "note" : "x" }', { note: 'x' }, '{ "note" : "x" }'],
  ['a comma behind the last item', '{"note":"x",}', { note: 'x' }, '{"note":"x"}'],
  ['a code fence', '```json\n{"note":"x"}\n```', { note: 'x' }, '{"note":"x"}'],
  ['raw line ends and tabs', '{"note":"a\n\tb"}', { note: 'a\n\tb' }, '{"note":"a\\n\\tb"}'],
  ['an id of 19 digits', '{"id":2512292042121000001}', { id: '2512292042121000001' }, '{"id":2512292042121000001}'],
  ['the same with a comma', '{"id":2512292042121000001,}', { id: '2512292042121000001' }, '{"id":2512292042121000001}'],
  [
    '30 digits in a list',
    '{"id":[123456789012345678901234567890]}',
    { id: ['123456789012345678901234567890'] },
    '{"id":[123456789012345678901234567890]}',
  ],
  ['a number too large', '{"id":1e999}', { id: '1e999' }, '{"id":1e999}'],
  ['nested, with signs', '{"id":[{"n":-1.5E+309}, 1e308]}', { id: [{ n: '-1.5E+309' }, 1e308] }, '{"id":[{"n":-1.5E+309}, 1e308]}'],
  ['too large by its digits', `{"id":1${'0'.repeat(299)}.0e20,}`, { id: `1${'0'.repeat(299)}.0e20` }, `{"id":1${'0'.repeat(299)}.0e20}`],
  ['the same as a text', '{"note":"1e999"}', { note: '1e999' }, '{"note":"1e999"}'],
  ['a name of an own property', '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}') as object, '{"__proto__":{"a":1}}'],
  ['no arguments', '', {}, '{}'],
  ['a cut text', '{"note":"x', undefined, '{}'],
  ['words around', 'Here: {"note":"x"}', undefined, '{}'],
  ['two values', '{"note":"x"}{"note":"y"}', undefined, '{}'],
  ['an invalid escape', '{"note":"\\x"}', undefined, '{}'],
];

describe.each(surfaces)('$surface', (driver) => {
  const { surface, operation } = driver;
  describe.each(Object.entries(ways).filter(([way]) => !way.startsWith('executor')))('%s', (way, perform) => {
    test.each(written)('%s: what runs is what was read, and the history can be sent', async (_kind, text, input, sent) => {
      const { ran, args } = await perform(driver, {
        text: '"tool_use" 1234567890123456789',
        calls: [{ id: 'a', name: 'f', args: text }],
        hasNull: true,
      });
      // `collectMessage` refuses the input of a complete call that is not JSON.
      if (surface === 'messages' && way === 'by hand, collected' && text !== '' && !isJson(text)) return;
      expect(ran).toEqual(input === undefined ? [] : [input]);
      // A message has its input as a value: an integer that a number cannot hold goes back as text.
      expect(args).toEqual([surface === 'messages' ? (input ?? {}) : sent]);
    });
  });

  test("a user's own history that is broken is sent as it is, and refused with the place of the call", async () => {
    const { fake, client } = await openFake({ maxRetries: 0 }, { validate: false, toolResults: 'required' });
    const asked = driver.request('hi') as Record<string, object[]>;
    const raw = {
      chat: { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"note":' } }] },
      messages: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: '{"note":' }] },
      responses: { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"note":' },
    }[surface];
    const field = listOf(driver);
    const history = [...(asked[field] ?? []), raw, resultOf[surface]('a')];
    const error = await failure(driver.service(client).create(undefined, { ...asked, [field]: history } as never));
    expect(String(error)).toMatch(/\[1\]\S* is not JSON: send the history of answerOf\(reply\)/);
    expect(fake.requests[0]?.body).toMatchObject({ [field]: history });
    expect(fake.refusals[0]?.refusal?.code).toBe('1210');
  });

  test('the executor gets the text as the model wrote it', async () => {
    const calls = [{ id: 'a', name: 'f', args: '{"note":"x",}' }];
    expect((await ways['executor, streamed']?.(driver, { calls }))?.ran).toEqual(['{"note":"x",}']);
  });

  test.each(['2512292042121000001', '1e999', '-1e999', '[1e999]', '{"deep":-1E400}'])(
    'a number that cannot hold %s is a problem for the model, with its cure',
    async (id) => {
      const { fake } = await openFake({}, { validate: false });
      fake.answer(
        operation,
        { body: replyText(surface, { calls: [{ id: 'a', name: 'f', args: `{"id":${id}}` }] }), headers: { 'content-type': 'application/json' } },
        { turn: { text: 'ok' } },
      );
      const one = { type: 'number' } as const;
      const fits = id.startsWith('[') ? { type: 'array', items: one } : id.startsWith('{') ? { type: 'object', properties: { deep: one } } : one;
      const number = defineTool({ name: 'f', input: { type: 'object', properties: { id: fits } }, run: () => expect.unreachable() });
      const reply = await driver.service(newClient(fake.configFor())).runWithTools(undefined, driver.request('hi'), [number] as never);
      expect(JSON.stringify(toolRun(reply as never)?.transcript)).toContain('send longer integers as text');
    },
  );

  describe('an answer without content', () => {
    const list = { chat: 'choices', messages: 'content', responses: 'output' }[surface];
    const counts = surface === 'chat' ? { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } : { input_tokens: 3, output_tokens: 2 };
    const empty: Readonly<Record<string, object>> = {
      missing: { id: 'r', usage: counts },
      null: { id: 'r', [list]: null, usage: counts },
      empty: { id: 'r', [list]: [], usage: counts },
      'only null': { id: 'r', [list]: [null], usage: counts },
    };
    test.each(Object.entries(empty))('%s: one ApiError, one request, its usage counted', async (_form, body) => {
      for (const way of ['create', 'loop'] as const) {
        const { fake } = await openFake({}, { validate: false });
        const meter = usageMeter();
        const client = newClient(fake.configFor({ hooks: [meter], retryDelay: 1 }));
        fake.answer(operation, { body });
        const call =
          way === 'create'
            ? driver.create(client)
            : looped(driver, client, { stream: false, tools: [defineTool({ name: 'f', input: {}, run: () => expect.unreachable() })] });
        expect(isApiError(await failure(call as Promise<unknown>))).toBe(true);
        expect(fake.requests).toHaveLength(1);
        expect(meter.totals().all).toMatchObject({ calls: 1, unseen: 0, inputTokens: 3, outputTokens: 2 } satisfies Partial<UsageCount>);
      }
    });

    test('as a stream it is the same error, once', async () => {
      const { fake } = await openFake({}, { validate: false });
      const client = newClient(fake.configFor());
      const events: Readonly<Record<SurfaceName, readonly string[]>> = {
        chat: [`data: ${JSON.stringify({ id: 'r', choices: [], usage: counts })}\n\n`, driver.end],
        messages: [`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'r', content: [] } })}\n\n`, driver.end],
        responses: [driver.end],
      };
      fake.answer(operation, { frames: [...events[surface]] }, { frames: [...events[surface]] });
      const error = await failure(collectedOf(driver.stream(client)));
      expect(isApiError(error) && [error.status, error.message.includes('without any part of an answer')]).toEqual([200, true]);
      expect(fake.requests).toHaveLength(1);
    });
  });
});

test('a reason that contradicts its answer is reported, and thrown by no method', async () => {
  const { fake } = await openFake({}, { validate: false });
  const client = newClient(fake.configFor());
  const chat = (message: object, finish_reason: string): object => ({
    id: 'r',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  });
  const rows: [object, string | undefined][] = [
    [chat({ content: ' \n' }, 'stop'), 'no_answer'],
    [chat({ content: null }, 'stop'), 'no_answer'],
    [chat({ content: '' }, 'tool_calls'), 'missing_tool_call'],
    [chat({ content: 'x' }, 'tool_calls'), undefined],
    [chat({ content: '', audio: { id: 'a' } }, 'stop'), undefined],
    [chat({ content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }, 'stop'), undefined],
  ];
  for (const [body, reason] of rows) {
    fake.answer('chat.create', { body });
    const reply = await client.chat().create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
    expect([body, finishError(reply)?.reason]).toEqual([body, reason]);
  }
});

test('any JSON keeps its digits from the reply to the history', () => {
  const digits = fc.stringMatching(/^-?[1-9]\d{15,30}$/);
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      digits,
      fc.string().map((text) => JSON.stringify(text)),
      fc.double().map((one) => JSON.stringify(one)),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('any') as fc.Arbitrary<string>, { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
    object: fc
      .array(fc.tuple(fc.string(), tie('any') as fc.Arbitrary<string>), { maxLength: 3 })
      .map((pairs) => `{${pairs.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`),
  }));
  fc.assert(
    fc.property(value['object'] as fc.Arbitrary<string>, (text) => {
      const reply = {
        id: 'r',
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }] },
          },
        ],
      };
      const answer = answerOf(reply as never);
      expect(answer.calls[0]?.sent).toBe(text);
      expect(answer.history[0]).toBe(reply.choices[0]?.message);
      const exact = JSON.stringify(answer.calls[0]?.read?.value);
      expect(JSON.stringify(JSON.parse(exact))).toBe(exact);
    }),
  );
});
