// Replies of each surface, whole and as a stream, and each way to get one and to send it back.
import { expect } from 'vitest';
import { answerOf, defineTool, newClient, toolRun } from '../../src/overlay/index.ts';
import { collectedOf, type SurfaceDriver, type SurfaceName } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';

export interface Call {
  readonly id: string;
  readonly name: string;
}

export interface Turn {
  readonly text?: string;
  readonly thought?: string;
  /** Calls of tools. `args` are the arguments as the model wrote them. */
  readonly calls?: readonly (Call & { readonly args?: string })[];
  /** A null in the list that has the calls. */
  readonly hasNull?: boolean;
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A complete reply as text, so that digits stay. A message has its input as a value, or as text if that is not JSON. */
export function replyText(surface: SurfaceName, turn: Turn): string {
  return (turn.calls ?? []).reduce(
    (text, { args = '{}' }, index) => text.replace(`"@${index}"`, () => (isJson(args) ? args : JSON.stringify(args))),
    JSON.stringify(replyOf(surface, turn)),
  );
}

export const replyBody = (surface: SurfaceName, turn: Turn): Record<string, unknown> =>
  JSON.parse(replyText(surface, turn)) as Record<string, unknown>;

/** The text is a part of its own where the surface has parts. The input of a message is a mark for the arguments. */
function replyOf(surface: SurfaceName, { text, thought, calls = [], hasNull }: Turn): object {
  const ending = calls.length > 0;
  const none = hasNull ? [null] : [];
  if (surface === 'chat') {
    const tool_calls = calls.map(({ id, name, args = '{}' }) => ({ id, type: 'function', function: { name, arguments: args } }));
    const message = {
      role: 'assistant',
      content: text ?? null,
      ...(thought && { reasoning_content: thought }),
      ...(ending && { tool_calls: [...none, ...tool_calls] }),
    };
    return { id: 'r', choices: [{ index: 0, finish_reason: ending ? 'tool_calls' : 'stop', message }] };
  }
  if (surface === 'messages') {
    const content = [
      ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: '' }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...none,
      ...calls.map(({ id, name }, index) => ({ type: 'tool_use', id, name, input: `@${index}` })),
    ];
    return { id: 'r', type: 'message', role: 'assistant', model: 'm', content, stop_reason: ending ? 'tool_use' : 'end_turn', usage: {} };
  }
  const output = [
    ...(thought === undefined ? [] : [{ type: 'reasoning', id: 'rs', content: [{ type: 'reasoning_text', text: thought }] }]),
    ...(text === undefined ? [] : [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...none,
    ...calls.map(({ id, name, args = '{}' }) => ({ type: 'function_call', id: 'i', call_id: id, name, arguments: args, status: 'completed' })),
  ];
  return { id: 'r', object: 'response', status: 'completed', output };
}

/** The same reply as the frames of a stream. Arguments come in two pieces where a surface has pieces. */
export function framesOf(surface: SurfaceName, turn: Turn): string[] {
  const frame = (data: { readonly type?: string }): string => `${data.type ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
  const { calls = [] } = turn;
  const halves = (args = '{}'): readonly string[] => [args.slice(0, args.length >> 1), args.slice(args.length >> 1)];
  if (surface === 'chat') {
    const { choices } = replyOf(surface, { ...turn, hasNull: false }) as { choices: [{ message: { tool_calls?: object[] }; finish_reason: string }] };
    const [{ message, finish_reason }] = choices;
    const piece = (delta: object, reason: string | null): string =>
      frame({ id: 'r', choices: [{ index: 0, delta, finish_reason: reason }] } as never);
    const begun = message.tool_calls?.map((call, index) => {
      const [args] = halves(calls[index]?.args);
      return { ...call, index, function: { name: calls[index]?.name, arguments: args } };
    });
    return [
      piece({ ...message, ...(begun && { tool_calls: begun }) }, null),
      ...calls.map(({ args }, index) => piece({ tool_calls: [{ index, function: { arguments: halves(args)[1] } }] }, null)),
      piece({}, finish_reason),
      'data: [DONE]\n\n',
    ];
  }
  if (surface === 'messages') {
    const whole = replyOf(surface, { ...turn, hasNull: false }) as { content: { type: string }[]; stop_reason: string };
    const first = whole.content.length - calls.length;
    return [
      { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
      ...whole.content.flatMap((content_block, index): object[] =>
        content_block.type === 'tool_use'
          ? [
              { type: 'content_block_start', index, content_block: { ...content_block, input: {} } },
              ...halves(calls[index - first]?.args).map((partial_json) => ({
                type: 'content_block_delta',
                index,
                delta: { type: 'input_json_delta', partial_json },
              })),
            ]
          : [{ type: 'content_block_start', index, content_block }],
      ),
      { type: 'message_delta', delta: { stop_reason: whole.stop_reason }, usage: {} },
      { type: 'message_stop' },
    ].map(frame);
  }
  return [
    frame({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } } as never),
    frame({ type: 'response.completed', response: replyBody(surface, turn) } as never),
  ];
}

interface SentBack {
  readonly calls: Call[];
  readonly results: [id: string, text: string][];
  readonly texts: unknown[];
  /** The arguments of the calls, in the form of the surface. */
  readonly args: unknown[];
}

/** The messages that went back. */
export function sentBack(surface: SurfaceName, body: unknown): SentBack {
  type Part = Record<string, string> & { content: Part[]; tool_calls?: { id: string; function: { name: string; arguments: string } }[] };
  const { messages, input } = body as { messages?: Part[]; input?: Part[] };
  const [, ...back] = messages ?? input ?? [];
  if (surface === 'chat')
    return {
      calls: back.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id, function: { name } }) => ({ id, name }))),
      results: back.flatMap(({ role, tool_call_id = '', content }) => (role === 'tool' ? [[tool_call_id, String(content)] as const] : [])) as never,
      texts: back.flatMap(({ role, content }) => (role === 'assistant' ? [content] : [])),
      args: back.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.arguments)),
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
    args: [...of('tool_use').map((part) => part['input']), ...of('function_call').map((part) => part['arguments'])],
    texts: [...of('text').map((part) => part['text']), ...of('message').flatMap(({ content }) => content.map((part) => part['text']))],
  };
}

export const declared: Readonly<Record<SurfaceName, (name: string) => object>> = {
  chat: (name) => ({ type: 'function', function: { name } }),
  messages: (name) => ({ name, input_schema: { type: 'object' } }),
  responses: (name) => ({ type: 'function', name }),
};

interface Went extends SentBack {
  /** Arguments that the tool or the executor got. */
  readonly ran: readonly unknown[];
  /** The calls as callbacks and the transcript show them. */
  readonly shown: readonly (readonly Call[])[];
  readonly reply: object;
}

export type Way = (driver: SurfaceDriver, turn: Turn, result?: string) => Promise<Went>;

const input = { type: 'object', properties: { id: {}, note: { type: 'string' } } } as const;

/** The reply as the fake sends it. */
const answerFor = (surface: SurfaceName, turn: Turn, streamed: boolean): object =>
  streamed ? { frames: framesOf(surface, turn) } : { body: replyText(surface, turn), headers: { 'content-type': 'application/json' } };

function loopWay(streamed: boolean, typed: boolean): Way {
  return async (driver, turn, result = 'ok') => {
    const { surface, operation } = driver;
    const { fake } = await openFake({}, { validate: false, toolResults: 'required' });
    fake.answer(operation, answerFor(surface, turn, streamed) as never, { turn: { text: 'ok' } });
    const service = driver.service(newClient(fake.configFor({ maxRetries: 0 })));
    const shown: Call[][] = [[], [], []];
    const ran: unknown[] = [];
    let reply: object = {};
    const note = (at: number, { id, name }: Call): void => void shown[at]?.push({ id, name });
    const options = {
      onRound: ({ calls, response }: { calls: Call[]; response: object }) => {
        reply = response;
        for (const call of calls) note(0, call);
      },
      onToolEnd: (call: Call) => note(1, call),
    };
    const run = (given: unknown, call?: unknown): string => {
      ran.push(given);
      note(2, { id: (call as { callId: string }).callId, name: 'f' });
      return result;
    };
    const tools = typed ? [defineTool({ name: 'f', input, run })] : (_: string, text: string, call: object) => run(text, call);
    const request = typed ? driver.request('hi') : driver.request('hi', { tools: [declared[surface]('f')] });
    const given = [undefined, request, tools as never, options as never] as const;
    let key: object;
    if (streamed) {
      const stream = service.streamWithTools(...given);
      for await (const _ of stream);
      key = stream;
    } else key = await service.runWithTools(...given);
    const back = (turn.calls ?? []).length > 0 ? fake.requests[1]?.body : { [listOf(driver)]: toolRun(key as never)?.transcript };
    return { ...sentBack(surface, back), shown, reply, ran };
  };
}

export const listOf = ({ surface }: SurfaceDriver): string => (surface === 'responses' ? 'input' : 'messages');

export const resultOf: Readonly<Record<SurfaceName, (id: string) => object>> = {
  chat: (id) => ({ role: 'tool', tool_call_id: id, content: 'ok' }),
  messages: (id) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] }),
  responses: (id) => ({ type: 'function_call_output', call_id: id, output: 'ok' }),
};

/** Prepares and runs the calls of a reply, and sends its history with their results. */
function handWay(streamed: boolean): Way {
  return async (driver, turn) => {
    const { surface, operation } = driver;
    const { fake } = await openFake({}, { validate: false, toolResults: 'required' });
    fake.answer(operation, answerFor(surface, turn, streamed) as never, { turn: { text: 'ok' } });
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const collected = streamed ? collectedOf(driver.stream(client)) : driver.create(client);
    // A call without a name, or with an input that is not JSON, is malformed for a collector; its error has the response.
    const reply = await collected.catch((error: { partial: object }) => error.partial);
    const before = JSON.stringify(reply);
    const { calls, history } = answerOf(reply as never);
    expect(JSON.stringify(reply)).toBe(before);
    const ran: unknown[] = [];
    const tool = defineTool({ name: 'f', input, run: (value) => ran.push(value) });
    for (const call of calls) {
      const prepared = await tool.prepare(call);
      if (prepared.problem === undefined) await prepared.run({ signal: new AbortController().signal, callId: call.id, round: 1 });
    }
    const field = listOf(driver);
    const asked = driver.request('hi') as Record<string, object[]>;
    // Results of messages are in one message.
    const results = calls.map(({ id }) => resultOf[surface](id));
    const joined = surface === 'messages' ? [{ role: 'user', content: results.flatMap((one) => (one as { content: object[] }).content) }] : results;
    const sent = [...(asked[field] ?? []), ...history, ...(calls.length > 0 ? joined : [])];
    await driver.service(client).create(undefined, { ...asked, [field]: sent } as never);
    return { ...sentBack(surface, fake.requests[1]?.body), shown: [calls.map(({ id, name }) => ({ id, name }))], reply, ran };
  };
}

export const ways: Readonly<Record<string, Way>> = {
  'typed tools': loopWay(false, true),
  'typed tools, streamed': loopWay(true, true),
  executor: loopWay(false, false),
  'executor, streamed': loopWay(true, false),
  'by hand': handWay(false),
  'by hand, collected': handWay(true),
};
