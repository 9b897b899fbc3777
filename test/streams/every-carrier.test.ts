// Every reader gets the same as the collector. Texts and calls come in pieces: in the first event of a part, in its last, or in the last of all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerDeltas,
  answerOf,
  collect,
  collecting,
  defineTool,
  isModelsvcError,
  outputFormat,
  type ResponsesReply,
  textDeltas,
  toResponse,
  toSSE,
} from '../../src/overlay/index.ts';
import type { ResponsesStreamEvent } from '../../src/types/index.ts';
import { withFake } from '../cli/support/in-process.ts';
import { type SurfaceName, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

type Event = { readonly type: string; readonly [field: string]: unknown };

const frame = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The answer of every row. As JSON, so that a growing answer can read it too. */
const [begun, went] = ['{"say":"Hel', 'lo"}'];
const whole = begun + went;

const message = (content: readonly object[] = []): Event => ({
  type: 'message_start',
  message: { id: 'r', type: 'message', role: 'assistant', model: 'm', content, stop_reason: null, usage: {} },
});
const started = (index: number, content_block: object): Event => ({ type: 'content_block_start', index, content_block });
const grew = (index: number, kind: 'text' | 'thinking', piece: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: `${kind}_delta`, [kind]: piece },
});
const messageEnd: Event[] = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }, { type: 'message_stop' }];

const made: Event = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } };
const ended = (output: readonly unknown[] = [], more: object = {}): Event => ({
  type: 'response.completed',
  response: { id: 'r', object: 'response', status: 'completed', output, ...more },
});
const part = (text: string): object => ({ type: 'output_text', text });
const said = (text: string, id = 'm'): object => ({ type: 'message', id, role: 'assistant', status: 'completed', content: [part(text)] });
const at = (type: string, more: object): Event => ({ type: `response.${type}`, item_id: 'm', output_index: 0, content_index: 0, ...more });
const opened: Event = { type: 'response.output_item.added', output_index: 0, item: { ...said(''), status: 'in_progress', content: [] } };
const delta = (piece: string): Event => at('output_text.delta', { delta: piece });
const noIndex = ({ output_index: _, content_index: _at, ...event }: Record<string, unknown>): Event => event as Event;

/** The events of a stream by where its words are. */
const carriers: Readonly<Record<SurfaceName, Readonly<Record<string, readonly Event[]>>>> = {
  chat: {},
  messages: {
    pieces: [message(), started(0, { type: 'text', text: '' }), grew(0, 'text', begun), grew(0, 'text', went), ...messageEnd],
    'the start of a block': [message(), started(0, { type: 'text', text: begun }), grew(0, 'text', went), ...messageEnd],
    'the start of a block alone': [message(), started(0, { type: 'text', text: whole }), ...messageEnd],
    'the start of the message': [message([{ type: 'text', text: begun }]), grew(0, 'text', went), ...messageEnd],
    'both starts': [message([{ type: 'text', text: begun }]), started(0, { type: 'text', text: begun }), grew(0, 'text', went), ...messageEnd],
    'a piece of another kind': [
      message(),
      started(0, { type: 'text', text: begun }),
      { type: 'content_block_delta', index: 0, delta: { text: went } },
      ...messageEnd,
    ],
  },
  responses: {
    pieces: [made, opened, delta(begun), delta(went), at('output_text.done', { text: whole }), ended([said(whole)])],
    'the added item': [made, { ...opened, item: said(begun) }, delta(went), ended()],
    'the added part': [made, opened, at('content_part.added', { part: part(begun) }), delta(went), ended()],
    'the done text': [made, opened, at('output_text.done', { text: whole }), ended()],
    'the end of a done text': [made, opened, delta(begun), at('output_text.done', { text: whole }), ended()],
    'the done part': [made, opened, at('content_part.done', { part: part(whole) }), ended()],
    'the done item': [made, opened, { type: 'response.output_item.done', output_index: 0, item: said(whole) }, ended()],
    'a done text of no item': [made, at('output_text.done', { text: whole }), ended()],
    'the last response': [made, ended([said(whole)])],
    'the end of the last response': [made, opened, delta(begun), ended([said(whole, 'other')])],
    'an incomplete response': [made, opened, delta(begun), { ...ended([said(whole)], { status: 'incomplete' }), type: 'response.incomplete' }],
    'a done item that is blank': [made, opened, delta(whole), { type: 'response.output_item.done', output_index: 0, item: said('') }, ended()],
    'pieces without a place': [
      made,
      ...[opened, delta(begun), delta(went), at('output_text.done', { text: whole })].map(noIndex),
      ended([said(whole)]),
    ],
    'pieces without an item': [made, ...[delta(begun), delta(went)].map(noIndex), ended()],
    'a blank last message': [made, opened, delta(begun), delta(went), at('output_text.done', { text: whole }), ended([said('')])],
    'a last response without the message': [
      made,
      opened,
      delta(whole),
      at('output_text.done', { text: whole }),
      ended([{ type: 'web_search_call', id: 's' }]),
    ],
  },
};

type Stream = AsyncIterable<never>;

/** The texts in the events of a page. */
function pageText(page: string): string {
  return page
    .split('\n\n')
    .map((one) => one.replace('data: ', ''))
    .filter((one) => one !== '' && one !== '[DONE]')
    .map((one) => JSON.parse(one) as string)
    .join('');
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of pieces) all += text;
  return all;
}

const format = outputFormat({ type: 'object', properties: { say: { type: 'string' } } });

/** One row is an incomplete answer. */
const texts = (stream: Stream): AsyncIterable<string> => textDeltas(stream, { incomplete: 'return' });

const readers: Readonly<Record<string, (stream: Stream) => Promise<string>>> = {
  textDeltas: (stream) => joined(texts(stream)),
  toSSE: async (stream) => pageText(await new Response(toSSE(texts(stream))).text()),
  toResponse: async (stream) => pageText(await (await toResponse(texts(stream), { onError: false })).text()),
  collecting: async (stream) => {
    const collected = collecting(stream);
    const text = await joined(texts(collected as never));
    expect(answerOf(await collected.response()).text).toBe(text);
    return text;
  },
  answerDeltas: async (stream) => {
    let all = '';
    for await (const { text } of answerDeltas(stream)) all += text;
    return all;
  },
};

for (const driver of surfaces.filter(({ surface }) => surface !== 'chat')) {
  const { surface, operation } = driver;
  describe(surface, () => {
    describe.each(Object.entries(carriers[surface]))('words in %s', (where, events) => {
      const streamed = async (): Promise<Stream> => {
        const { fake, client } = await openFake({ maxRetries: 0 }, { validate: false });
        fake.answer(operation, { frames: events.map(frame) });
        return driver.stream(client) as Stream;
      };

      test('reach the collector', async () => {
        expect(answerOf((await collect(await streamed())) as never).text).toBe(whole);
      });

      test.each(Object.entries(readers))('reach %s', async (_name, read) => {
        expect(await read(await streamed())).toBe(whole);
      });

      test('reach a growing answer, of which the last step is the value', async () => {
        const growing = format.partial(await streamed());
        const steps: string[] = [];
        const error = await failure(
          (async () => {
            for await (const step of growing) steps.push(JSON.stringify(step));
            throw new Error('ended');
          })(),
        );
        expect(steps.length).toBeGreaterThan(0);
        expect(steps.at(-1)).toBe('{"say":"Hello"}');
        expect(String(error)).toContain(where === 'an incomplete response' ? 'incomplete' : 'ended');
      });

      test('reach the command line', async () => {
        const { fake, modelsvc } = await withFake();
        fake.answer(operation, { frames: events.map(frame) });
        expect((await modelsvc([surface, 'hi', '--plain'])).stdout.trim()).toBe(whole);
      });
    });

    test('each round of a tool loop is read again', async () => {
      const { fake, client } = await openFake({ maxRetries: 0 }, { validate: false });
      const asks: readonly Event[] =
        surface === 'messages'
          ? [
              message(),
              started(0, { type: 'text', text: 'One.' }),
              started(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
              { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
              { type: 'message_stop' },
            ]
          : [made, ended([said('One.'), { type: 'function_call', id: 'i', call_id: 'a', name: 'f', arguments: '{}', status: 'completed' }])];
      const again: readonly Event[] =
        surface === 'messages' ? [message(), started(0, { type: 'text', text: 'One.' }), ...messageEnd] : [made, ended([said('One.')])];
      fake.answer(operation, { frames: asks.map(frame) }, { frames: again.map(frame) });
      const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => 'ok' });
      const stream = driver.service(client).streamWithTools(undefined, driver.request('hi'), [tool] as never);
      expect(await joined(textDeltas(stream as Stream))).toBe('One.One.');
    });
  });
}

function responseOf(events: readonly Event[]): Promise<ResponsesReply> {
  return collect(given(events, 'responses') as AsyncIterable<ResponsesStreamEvent>);
}

async function* given(events: readonly Event[], surface: SurfaceName): AsyncGenerator<never> {
  for (const event of events) yield structuredClone(surface === 'messages' ? { type: event.type, data: event } : event) as never;
}

async function deltasOf(events: readonly Event[], surface: SurfaceName): Promise<{ text: string; thought: string }> {
  const all = { text: '', thought: '' };
  for await (const { text, thought } of answerDeltas(given(events, surface))) {
    all.text += text;
    all.thought += thought;
  }
  return all;
}

test('thought comes as text does', async () => {
  const block = [
    message([{ type: 'thinking', thinking: 'a' }]),
    started(1, { type: 'thinking', thinking: 'b' }),
    grew(1, 'thinking', 'c'),
    ...messageEnd,
  ];
  expect(await deltasOf(block, 'messages')).toEqual({ text: '', thought: 'abc' });
  const item = { type: 'reasoning', id: 'm', content: [{ type: 'reasoning_text', text: 'a' }] };
  const events = [
    made,
    { type: 'response.output_item.added', output_index: 0, item },
    at('reasoning_text.delta', { delta: 'b' }),
    at('reasoning_text.done', { text: 'abc' }),
  ];
  expect(await deltasOf([...events, ended([{ ...item, content: [{ type: 'reasoning_text', text: 'abcd' }] }])], 'responses')).toEqual({
    text: '',
    thought: 'abcd',
  });
});

test('a piece of a block that did not begin is read, as it was', async () => {
  expect(await deltasOf([grew(3, 'text', 'a'), grew(4, 'thinking', 'b')], 'messages')).toEqual({ text: 'a', thought: 'b' });
  expect(
    await deltasOf(
      [
        { ...delta('a'), output_index: 'x' },
        { ...delta('b'), output_index: 7 },
      ],
      'responses',
    ),
  ).toEqual({ text: 'ab', thought: '' });
});

test('any stream of Responses: the pieces are what is collected', async () => {
  const piece = fc.constantFrom('a', 'b ', ' ', '\n', 'c');
  const item = fc.record({
    kind: fc.constantFrom('message', 'reasoning'),
    pieces: fc.array(piece, { maxLength: 4 }),
    tells: fc.subarray(['added', 'part', 'done', 'part done', 'item done']),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 4 }), fc.boolean(), fc.boolean(), async (items, isTold, hasIndex) => {
      const events = items.flatMap(({ kind, pieces, tells }, index) => {
        const type = kind === 'message' ? 'output_text' : 'reasoning_text';
        const text = pieces.join('');
        const item = (content: string): object => ({
          type: kind,
          id: `i${index}`,
          role: 'assistant',
          content: content === '' ? [] : [{ type, text: content }],
        });
        const place = { item_id: `i${index}`, ...(hasIndex && { output_index: index, content_index: 0 }) };
        // Without an end that has the text, the pieces have it.
        const first = tells.includes('added') ? (pieces[0] ?? '') : '';
        const rest = tells.includes('added') ? pieces.slice(1) : pieces;
        return [
          { type: 'response.output_item.added', ...place, item: item(first) },
          ...(tells.includes('done') && tells.length > 1 ? [] : rest.map((one) => ({ type: `response.${type}.delta`, ...place, delta: one }))),
          ...(tells.includes('done') ? [{ type: `response.${type}.done`, ...place, text }] : []),
          ...(tells.includes('part done') ? [{ type: 'response.content_part.done', ...place, part: { type, text } }] : []),
          ...(tells.includes('item done') ? [{ type: 'response.output_item.done', ...place, item: item(text) }] : []),
        ] as Event[];
      });
      const output = items.map(({ kind, pieces }, index) => ({
        type: kind,
        id: `i${index}`,
        role: 'assistant',
        content: [{ type: kind === 'message' ? 'output_text' : 'reasoning_text', text: pieces.join('') }],
      }));
      const all = [made, ...events, ended(isTold ? output : [])];
      const { text, thought } = answerOf((await collect(given(all, 'responses'))) as never);
      expect(await deltasOf(all, 'responses')).toEqual({ text, thought });
      expect(text).toBe(items.flatMap(({ kind, pieces }) => (kind === 'message' ? pieces : [])).join(''));
    }),
  );
});

describe('the calls of a response', () => {
  const call = (more: object = {}): object => ({
    type: 'function_call',
    id: 'i',
    call_id: 'a',
    name: 'f',
    arguments: '{"n":1}',
    status: 'completed',
    ...more,
  });
  const begins = (more: object = {}): Event => ({
    type: 'response.output_item.added',
    output_index: 0,
    item: call({ arguments: '', status: 'in_progress', ...more }),
  });
  const argued = (step: 'delta' | 'done', more: object): Event => ({
    type: `response.function_call_arguments.${step}`,
    item_id: 'i',
    output_index: 0,
    ...more,
  });
  const pieces = [argued('delta', { delta: '{"n"' }), argued('delta', { delta: ':1}' })];
  const done = argued('done', { arguments: '{"n":1}' });

  const ran = async (events: readonly Event[]): Promise<unknown[]> => {
    const { fake, client } = await openFake({ maxRetries: 0 }, { validate: false });
    fake.answer('responses.create', { frames: events.map(frame) }, { turn: { text: 'ok' } });
    const inputs: unknown[] = [];
    const tool = defineTool({ name: 'f', input: { type: 'object' }, run: (input) => void inputs.push(input) });
    for await (const _ of client.responses().streamWithTools(undefined, { model: 'glm-5.2', input: 'hi' }, [tool]));
    return inputs;
  };
  const blank = { type: 'message', id: 'm', role: 'assistant', content: [part('')] };

  test.each<[string, readonly Event[], number?]>([
    ['pieces alone', [begins(), ...pieces, ended()]],
    ['pieces, with a last response', [begins(), ...pieces, done, ended([call()])]],
    ['pieces, with other ids at the end', [begins(), ...pieces, done, ended([call({ id: 'x', call_id: 'y' })])]],
    ['done arguments alone', [begins(), done, ended()]],
    ['done arguments of a named call', [argued('done', { arguments: '{"n":1}', name: 'f', call_id: 'a' }), ended()]],
    ['a done item alone', [{ type: 'response.output_item.done', output_index: 0, item: call() }, ended()]],
    [
      'a done item that is blank',
      [begins(), ...pieces, { type: 'response.output_item.done', output_index: 0, item: call({ arguments: '' }) }, ended()],
    ],
    ['the last response alone', [ended([call()])]],
    ['a blank message in its place', [begins(), done, ended([blank])]],
    ['whole JSON without an end, and a blank message in its place', [begins(), ...pieces, ended([blank])]],
    ['blank arguments at the end', [begins(), ...pieces, ended([call({ arguments: '' })])]],
    ['not at the end at all', [begins(), done, ended([said('So.')])]],
    ['no place', [...[begins(), ...pieces, done].map(noIndex), ended([blank])]],
    [
      'two of them, one at the end',
      [
        begins(),
        done,
        { ...begins({ id: 'j', call_id: 'b' }), output_index: 1 },
        { ...done, item_id: 'j', output_index: 1 },
        ended([call({ id: 'j', call_id: 'b' })]),
      ],
      2,
    ],
    [
      'two of one id',
      [begins(), done, { ...begins({ id: 'j' }), output_index: 1 }, { ...done, item_id: 'j', output_index: 1 }, ended([call(), call({ id: 'j' })])],
      2,
    ],
  ])('%s: it runs', async (_where, events, times = 1) => {
    expect(await ran([made, ...events])).toEqual(Array.from({ length: times }, () => ({ n: 1 })));
  });

  test('a call without arguments whose place is blank at the end runs', async () => {
    expect(
      await ran([made, begins(), { type: 'response.output_item.done', output_index: 0, item: call({ arguments: '{}' }) }, ended([blank])]),
    ).toEqual([{}]);
  });

  test.each<[string, readonly Event[]]>([
    ['an incomplete response', [begins(), done, { ...ended([blank], { status: 'incomplete' }), type: 'response.incomplete' }]],
    ['an incomplete response without items', [begins(), done, { ...ended([], { status: 'incomplete' }), type: 'response.incomplete' }]],
    [
      'a filtered response',
      [
        begins(),
        done,
        { ...ended([blank], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }), type: 'response.incomplete' },
      ],
    ],
    ['a refusal', [begins(), done, ended([{ ...blank, content: [{ type: 'refusal', refusal: 'No.' }] }])]],
    ['a refusal in an event', [begins(), done, { type: 'response.refusal.delta', delta: 'No.' }, ended()]],
    ['arguments that are no JSON and have no end', [begins(), pieces[0] as Event, ended([blank])]],
  ])('%s: it does not run', async (_where, events) => {
    expect(await ran([made, ...events])).toEqual([]);
  });

  test('a failed response is an error, and no tool runs', async () => {
    await expect(
      ran([made, begins(), done, { type: 'response.failed', response: { id: 'r', status: 'failed', error: { code: '1234', message: 'x' } } }]),
    ).rejects.toThrow();
  });

  test('the last response wins where it is incomplete', async () => {
    const events = [
      made,
      opened,
      at('output_text.done', { text: 'x' }),
      { ...ended([blank], { status: 'incomplete' }), type: 'response.incomplete' },
    ];
    expect((await responseOf([...events])).output).toEqual([blank]);
    const called = [made, begins(), done, { ...ended([blank], { status: 'incomplete' }), type: 'response.incomplete' }];
    expect((await responseOf(called)).output).toEqual([blank]);
  });

  test('a piece continues the item as its last event has it', async () => {
    const events = [made, opened, delta('a'), { type: 'response.output_item.done', output_index: 0, item: said('ab') }, delta('c'), ended()];
    expect((await responseOf(events)).text()).toBe('abc');
    expect(await deltasOf(events, 'responses')).toEqual({ text: 'abc', thought: '' });
  });

  test('the last response wins over what was complete, if it has it', async () => {
    const events = [made, opened, delta('old'), at('output_text.done', { text: 'old' }), ended([said('new')])];
    expect((await responseOf(events)).text()).toBe('new');
    expect(await deltasOf(events, 'responses')).toEqual({ text: 'old', thought: '' });
  });

  test('a piece of a place that no item has is malformed for the collector', async () => {
    expect(isModelsvcError(await failure(collect(given([made, { ...delta('a'), output_index: 3 }, ended()], 'responses'))), 'stream')).toBe(true);
  });
});
