// What goes back to a model can be sent: ids, names and texts, on each surface and in each way.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, defineTool, isModelsvcError, newClient, toolRun } from '../../src/overlay/index.ts';
import { collectedOf, type SurfaceDriver, type SurfaceName, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

interface Call {
  readonly id: string;
  readonly name: string;
}

interface Turn {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly Call[];
}

/** A whole reply. The text is a part of its own where the surface has parts. */
function replyOf(surface: SurfaceName, { text, thought, calls = [] }: Turn): Record<string, unknown> {
  const ending = calls.length > 0;
  const tools = calls.map(({ id, name }) => ({ id, name }));
  if (surface === 'chat') {
    const tool_calls = tools.map(({ id, name }) => ({ id, type: 'function', function: { name, arguments: '{}' } }));
    const message = { role: 'assistant', content: text ?? null, ...(thought && { reasoning_content: thought }), ...(ending && { tool_calls }) };
    return { id: 'r', choices: [{ index: 0, finish_reason: ending ? 'tool_calls' : 'stop', message }] };
  }
  if (surface === 'messages') {
    const content = [
      ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: '' }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...tools.map((tool) => ({ type: 'tool_use', ...tool, input: {} })),
    ];
    return { id: 'r', type: 'message', role: 'assistant', model: 'm', content, stop_reason: ending ? 'tool_use' : 'end_turn', usage: {} };
  }
  const output = [
    ...(thought === undefined ? [] : [{ type: 'reasoning', id: 'rs', content: [{ type: 'reasoning_text', text: thought }] }]),
    ...(text === undefined ? [] : [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...tools.map(({ id, name }) => ({ type: 'function_call', id: 'i', call_id: id, name, arguments: '{}', status: 'completed' })),
  ];
  return { id: 'r', object: 'response', status: 'completed', output };
}

/** The same reply as the frames of a stream. */
function framesOf(surface: SurfaceName, turn: Turn): string[] {
  const frame = (data: { readonly type?: string }): string => `${data.type ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
  const whole = replyOf(surface, turn);
  if (surface === 'chat') {
    const [{ message, finish_reason }] = whole['choices'] as [{ message: { tool_calls?: object[] }; finish_reason: string }];
    const delta = { ...message, ...(message.tool_calls && { tool_calls: message.tool_calls.map((call, index) => ({ ...call, index })) }) };
    return [frame({ id: 'r', choices: [{ index: 0, delta, finish_reason }] } as never), 'data: [DONE]\n\n'];
  }
  if (surface === 'messages')
    return [
      { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
      ...(whole['content'] as object[]).map((content_block, index) => ({ type: 'content_block_start', index, content_block })),
      { type: 'message_delta', delta: { stop_reason: whole['stop_reason'] }, usage: {} },
      { type: 'message_stop' },
    ].map(frame);
  return [
    frame({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } } as never),
    frame({ type: 'response.completed', response: whole } as never),
  ];
}

/** Calls, results and text of what went back, and the blank texts in it. */
function sentBack(surface: SurfaceName, body: unknown): { calls: Call[]; results: [id: string, text: string][]; texts: unknown[] } {
  type Part = Record<string, string> & { content: Part[]; tool_calls?: { id: string; function: Call }[] };
  const { messages, input } = body as { messages?: Part[]; input?: Part[] };
  const [, ...back] = messages ?? input ?? [];
  if (surface === 'chat')
    return {
      calls: back.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id, function: { name } }) => ({ id, name }))),
      results: back.flatMap(({ role, tool_call_id = '', content }) => (role === 'tool' ? [[tool_call_id, String(content)] as const] : [])) as never,
      texts: back.flatMap(({ role, content }) => (role === 'assistant' ? [content] : [])),
    };
  const parts = surface === 'messages' ? back.flatMap(({ content }) => content) : back;
  const of = (type: string): Part[] => parts.filter((part) => part['type'] === type);
  const id = surface === 'messages' ? 'id' : 'call_id';
  return {
    calls: [...of('tool_use'), ...of('function_call')].map((part) => ({ id: part[id] ?? '', name: part['name'] ?? '' })),
    results: [
      ...of('tool_result').map((part) => [part['tool_use_id'], part['content']]),
      ...of('function_call_output').map((part) => [part['call_id'], part['output']]),
    ] as never,
    texts: [...of('text').map((part) => part['text']), ...of('message').flatMap(({ content }) => content.map((part) => part['text']))],
  };
}

const declared: Readonly<Record<SurfaceName, (name: string) => object>> = {
  chat: (name) => ({ type: 'function', function: { name } }),
  messages: (name) => ({ name, input_schema: { type: 'object' } }),
  responses: (name) => ({ type: 'function', name }),
};

interface Went extends ReturnType<typeof sentBack> {
  /** What callbacks and the transcript show of the calls. */
  readonly shown: readonly (readonly Call[])[];
  readonly reply: object;
}

type Way = (driver: SurfaceDriver, turn: Turn, result?: string) => Promise<Went>;

function loopWay(streamed: boolean, typed: boolean): Way {
  return async (driver, turn, result = 'ok') => {
    const { surface, operation } = driver;
    const { fake } = await openFake({}, { validate: false, toolResults: 'required' });
    const body = replyOf(surface, turn);
    fake.answer(operation, streamed ? { frames: framesOf(surface, turn) } : { body }, { turn: { text: 'ok' } });
    const service = driver.service(newClient(fake.configFor({ maxRetries: 0 })));
    const shown: Call[][] = [[], [], []];
    let reply: object = {};
    const note = (at: number, { id, name }: Call): void => void shown[at]?.push({ id, name });
    const options = {
      onRound: ({ calls, response }: { calls: Call[]; response: object }) => {
        reply = response;
        for (const call of calls) note(0, call);
      },
      onToolEnd: (call: Call) => note(1, call),
    };
    const run = (_: unknown, given?: unknown): string => {
      note(2, { id: (given as { callId: string }).callId, name: 'f' });
      return result;
    };
    const tools = typed ? [defineTool({ name: 'f', input: { type: 'object' }, run })] : (_: string, text: string, given: object) => run(text, given);
    const request = typed ? driver.request('hi') : driver.request('hi', { tools: [declared[surface]('f')] });
    const given = [undefined, request, tools as never, options as never] as const;
    let key: object;
    if (streamed) {
      const stream = service.streamWithTools(...given);
      for await (const _ of stream);
      key = stream;
    } else key = await service.runWithTools(...given);
    const asked = driver.request('hi') as { input?: unknown };
    const back = (turn.calls ?? []).length > 0 ? fake.requests[1]?.body : { [asked.input ? 'input' : 'messages']: toolRun(key as never)?.transcript };
    return { ...sentBack(surface, back), shown, reply };
  };
}

function handWay(streamed: boolean): Way {
  return async (driver, turn) => {
    const { surface, operation } = driver;
    const { fake } = await openFake({}, { validate: false });
    fake.answer(operation, streamed ? { frames: framesOf(surface, turn) } : { body: replyOf(surface, turn) });
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const collected = streamed ? collectedOf(driver.stream(client)) : driver.create(client);
    // A call without a name is malformed for the collector of chat; its error has the response.
    const reply = await collected.catch((error: { partial: object }) => error.partial);
    const before = JSON.stringify(reply);
    const { calls, history } = answerOf(reply as never);
    expect(JSON.stringify(reply)).toBe(before);
    const field = surface === 'responses' ? 'input' : 'messages';
    return { ...sentBack(surface, { [field]: [{}, ...history] }), shown: [calls.map(({ id, name }) => ({ id, name }))], reply };
  };
}

const ways: Readonly<Record<string, Way>> = {
  'typed tools': loopWay(false, true),
  'typed tools, streamed': loopWay(true, true),
  executor: loopWay(false, false),
  'executor, streamed': loopWay(true, false),
  'by hand': handWay(false),
  'by hand, collected': handWay(true),
};

const long = 'x'.repeat(80);

describe.each(surfaces)('$surface', (driver) => {
  const { surface } = driver;
  describe.each(Object.entries(ways))('%s', (way, perform) => {
    const isLoop = !way.startsWith('by hand');

    test.each<[string, string[]]>([
      ['two equal ids', ['a', 'a']],
      ['three', ['a', 'b', 'a', 'a']],
      ['blank ids', ['', ' ', '']],
      ['an id like a made one', ['call_1_2', '']],
      ['a made one that comes later', ['', 'call_1_1', 'call_1_1']],
    ])('%s: each call has an id of its own, the same everywhere', async (_kind, ids) => {
      const { calls, results, shown } = await perform(driver, { calls: ids.map((id) => ({ id, name: 'f' })) });
      const sent = calls.map(({ id }) => id);
      expect(new Set(sent).size).toBe(ids.length);
      expect(sent.every((id) => id.trim() !== '')).toBe(true);
      // The first that has an id keeps it, and the others do not depend on chance.
      for (const [index, id] of ids.entries()) if (id.trim() !== '' && ids.indexOf(id) === index && !/^call/.test(id)) expect(sent[index]).toBe(id);
      expect((await perform(driver, { calls: ids.map((id) => ({ id, name: 'f' })) })).calls).toEqual(calls);
      if (isLoop) expect(results.map(([id]) => id)).toEqual(sent);
      for (const told of shown) expect(told.map(({ id }) => id).sort()).toEqual([...sent].sort());
    });

    test.each(['', ' ', 'list files', 'functions.read', long, 'größe', 'f</arg_value>'])('the name %j goes back as one that fits', async (name) => {
      const { calls, results, shown } = await perform(driver, { calls: [{ id: 'a', name }] });
      expect(calls[0]?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(calls[0]?.name).not.toBe('f');
      expect(shown[0]).toEqual([{ id: 'a', name }]);
      if (isLoop) expect(results[0]?.[1]).toContain(name === '' ? '""' : name);
    });

    test('a name that fits stays, also of a tool that is not there', async () => {
      expect((await perform(driver, { calls: [{ id: 'a', name: 'ghost' }] })).calls).toEqual([{ id: 'a', name: 'ghost' }]);
    });

    test.each(['', ' \n'])('the blank text %j beside a call is left out, where it is a part', async (text) => {
      const { texts, reply } = await perform(driver, { text, calls: [{ id: 'a', name: 'f' }] });
      expect(texts).toEqual(surface === 'chat' ? [text] : []);
      expect(JSON.stringify(reply)).toContain(JSON.stringify(text));
    });

    test.each<[string, Turn]>([
      ['a blank text', { text: '\n' }],
      ['thought and a blank text', { text: '', thought: 'so' }],
      ['thought alone', { thought: 'so' }],
    ])('%s goes back as a text', async (_kind, turn) => {
      expect((await perform(driver, turn)).texts).toEqual(['(no text)']);
    });

    test('a text goes back as it came', async () => {
      expect((await perform(driver, { text: ' so \n', thought: 'x' })).texts).toEqual([' so \n']);
    });

    if (isLoop)
      test.each(['', ' \n'])('the blank result %j goes back as a text', async (result) => {
        expect((await perform(driver, { calls: [{ id: 'a', name: 'f' }] }, result)).results).toEqual([['a', '(no output)']]);
      });
  });

  test('a blank replacement of a round is a text too', async () => {
    const { fake } = await openFake({}, { validate: false });
    fake.answer(driver.operation, { body: replyOf(surface, { calls: [{ id: 'a', name: 'f' }] }) }, { turn: { text: 'ok' } });
    const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => expect.unreachable() });
    const options = { onRound: () => [{ replace: ' ' }] };
    await driver.service(newClient(fake.configFor())).runWithTools(undefined, driver.request('hi'), [tool] as never, options as never);
    expect(sentBack(surface, fake.requests[1]?.body).results).toEqual([['a', '(no output)']]);
  });

  test('a name is made different from every declared name', async () => {
    const { fake } = await openFake({}, { validate: false });
    const names = ['unknown_tool', 'unknown_tool_2'];
    fake.answer(driver.operation, { body: replyOf(surface, { calls: [{ id: 'a', name: 'list files' }] }) }, { turn: { text: 'ok' } });
    const tools = names.map((name) => defineTool({ name, input: { type: 'object' }, run: () => expect.unreachable() }));
    await driver.service(newClient(fake.configFor())).runWithTools(undefined, driver.request('hi'), tools as never);
    expect(sentBack(surface, fake.requests[1]?.body).calls).toEqual([{ id: 'a', name: 'unknown_tool_3' }]);
  });

  test('any ids and names: they can be sent, and the reply is not touched', () => {
    const calls = fc.array(
      fc.record({ id: fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom('call_1_1', 'call_1_2')), name: fc.string({ maxLength: 90 }) }),
    );
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), calls, (text, asked) => {
        const reply = replyOf(surface, { ...(text !== undefined && { text }), calls: asked });
        const before = JSON.stringify(reply);
        const answer = answerOf(reply as never);
        const sent = sentBack(surface, { [surface === 'responses' ? 'input' : 'messages']: [{}, ...answer.history] });
        expect(new Set(sent.calls.map(({ id }) => id)).size).toBe(asked.length);
        for (const { name } of sent.calls) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(answer.calls.map(({ id }) => id)).toEqual(sent.calls.map(({ id }) => id));
        if (asked.length === 0 || surface !== 'chat') for (const one of sent.texts) expect(String(one).trim()).not.toBe('');
        expect(JSON.stringify(reply)).toBe(before);
      }),
    );
  });

  describe('a blank text of a user', () => {
    const type = surface === 'responses' ? 'input_text' : 'text';
    const image = {
      chat: { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      messages: { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      responses: { type: 'input_image', image_url: 'https://example.com/a.png' },
    }[surface];
    const field = surface === 'responses' ? 'input' : 'messages';
    const asked = (content: unknown): never =>
      driver.request('', { [field]: [{ ...(surface === 'responses' && { type: 'message' }), role: 'user', content }] });

    test.each<[string, unknown, string]>([
      ['a text', ' \n', 'content'],
      ['a part', [{ type, text: ' ' }], 'content[0].text'],
      [
        'two parts',
        [
          { type, text: '\t' },
          { type, text: ' ' },
        ],
        'content[0].text',
      ],
    ])('%s: refused before the network at the service, and sent elsewhere', async (_form, content, path) => {
      const { fake } = await openFake({}, { validate: false });
      for (const ask of ['create', 'stream', 'loop'] as const) {
        const service = driver.service(newClient(fake.configFor()));
        const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => '' });
        const call = {
          create: () => service.create(undefined, asked(content)),
          stream: () => service.stream(undefined, asked(content)).next(),
          loop: () => service.runWithTools(undefined, asked(content), [tool] as never),
        }[ask]();
        const error = await failure(call as Promise<unknown>);
        expect(isModelsvcError(error, 'validation') && error.path).toBe(`${field}[0].${path}`);
      }
      expect(fake.requests).toHaveLength(0);
      fake.answer(driver.operation, { turn: { text: 'ok' } });
      await driver.service(newClient(fake.configFor({ serviceRules: false }))).create(undefined, asked(content));
      expect(fake.requests[0]?.body).toMatchObject({ [field]: [{ content }] });
    });

    test('beside another part it is sent', async () => {
      const { fake } = await openFake({}, { validate: false });
      fake.answer(driver.operation, { turn: { text: 'ok' } });
      await driver.service(newClient(fake.configFor())).create(undefined, asked([{ type, text: ' ' }, image]));
      expect(fake.requests).toHaveLength(1);
    });
  });
});

test('a blank input of Responses', async () => {
  const { client, fake } = await openFake({}, { validate: false });
  const error = await failure(client.responses().createSimple(undefined, 'glm-5.2', ' '));
  expect(isModelsvcError(error, 'validation') && error.path).toBe('input');
  expect(fake.requests).toHaveLength(0);
});
