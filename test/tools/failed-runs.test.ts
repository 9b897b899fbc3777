// Runs of the tool loop that fail keep the results of the tools that have run, and their transcript can be sent unchanged.
import { expect, test } from 'vitest';
import { type Client, defineTool, isModelsvcError, newFunctionTool, toolRun } from '../../src/overlay/index.ts';
import { faults, startFakeService, type Turn } from '../../src/testing/index.ts';
import { looped, onBothWays, type SurfaceDriver } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake({ toolResults: 'required' });
const calls: Turn = {
  toolCalls: [
    { id: 'a', name: 'send', arguments: { to: 'Ann' } },
    { id: 'b', name: 'stall', arguments: {} },
    { id: 'c', name: 'send', arguments: { to: 'Cem' } },
  ],
};
const first: Turn = { toolCalls: [{ id: 'z', name: 'send', arguments: { to: 'Zoe' } }] };
const object = { type: 'object', properties: {} } as const;
const unknown = 'error: the run ended during this call: it may have had effects';
const notRun = 'error: the call was not run';

/** The tools of a run. `stalled` is called when the second tool has begun, which never ends. */
type ToolsOf = (stalled: () => void) => unknown;
type Form = readonly [name: string, start: (driver: SurfaceDriver, client: Client, given: Given) => Promise<unknown>];

interface Given {
  readonly signal?: AbortSignal;
  readonly stalled?: () => void;
  readonly options?: object;
}

const sentTo = (args: string): string => `sent to ${(JSON.parse(args) as { to: string }).to}`;
const never = (): Promise<string> => new Promise(() => {});

const typedTools: ToolsOf = (stalled) => [
  defineTool({ name: 'send', input: { ...object, properties: { to: { type: 'string' } } }, run: ({ to }) => `sent to ${to}` }),
  defineTool({
    name: 'stall',
    input: object,
    run: () => {
      stalled();
      return never();
    },
  }),
];
const executor: ToolsOf = (stalled) => (name: string, args: string) => {
  if (name === 'send') return sentTo(args);
  stalled();
  return never();
};

/** Each form of the loop: buffered and streamed, with typed tools and with an executor. Rejects with the error of the run. */
const forms: readonly Form[] = (['runWithTools', 'streamWithTools'] as const).flatMap((method) =>
  ([typedTools, executor] as const).map(
    (toolsOf): Form => [
      `${method} with ${toolsOf === executor ? 'an executor' : 'typed tools'}`,
      (driver, client, { signal, stalled = () => undefined, options }) => {
        const request = driver.request('Write to both.', toolsOf === executor ? { tools: declaredOn(driver) } : {});
        return looped(driver, client, { stream: method === 'streamWithTools', tools: toolsOf(stalled), request, signal, options });
      },
    ],
  ),
);

function declaredOn({ surface }: SurfaceDriver): unknown {
  const tools = typedTools(() => undefined) as ReturnType<typeof defineTool>[];
  if (surface === 'chat') return tools.map(({ name }) => newFunctionTool(name, name, object));
  return tools.map((tool) => (surface === 'messages' ? tool.as('messages') : tool.as('responses')));
}

/** The texts of the results in a transcript, in order. */
function resultsOf(transcript: readonly object[]): unknown[] {
  return transcript.flatMap((entry) => {
    const { role, type, content, output } = entry as { role?: string; type?: string; content?: unknown; output?: unknown };
    if (role === 'tool') return [content];
    if (type === 'function_call_output') return [output];
    const blocks = Array.isArray(content) ? (content as { type?: string; content?: unknown }[]) : [];
    return blocks.filter((block) => block.type === 'tool_result').map((block) => block.content);
  });
}

onBothWays((driver, clientFor) => {
  /** Sends the transcript of a run as it is, and with a new message of the user. */
  async function sent(error: unknown): Promise<unknown[]> {
    const transcript = toolRun(error as Error)?.transcript as object[];
    const client = clientFor(fake);
    for (const list of [
      transcript,
      [...transcript, driver.surface === 'responses' ? { type: 'message', role: 'user', content: 'Go on.' } : { role: 'user', content: 'Go on.' }],
    ]) {
      fake.answer(driver.operation, { turn: { text: 'Fine.' } });
      await driver.service(client).create(undefined, driver.request('', { [driver.surface === 'responses' ? 'input' : 'messages']: list }));
    }
    expect(fake.refusals).toEqual([]);
    return resultsOf(transcript);
  }

  test.each(forms)('%s: the user aborts while the second tool stalls', async (_name, start) => {
    fake.reset().answer(driver.operation, { turn: first }, { turn: calls });
    const controller = new AbortController();
    const error = await failure(start(driver, clientFor(fake), { signal: controller.signal, stalled: () => controller.abort() }));
    expect(isModelsvcError(error, 'abort')).toBe(true);
    expect(await sent(error)).toEqual(['sent to Zoe', 'sent to Ann', unknown, notRun]);
  });

  test.each(forms)('%s: onToolEnd throws', async (_name, start) => {
    fake.reset().answer(driver.operation, { turn: calls });
    const own = new Error('the screen is gone');
    const onToolEnd = (): never => {
      throw own;
    };
    const error = await failure(start(driver, clientFor(fake), { options: { onToolEnd } }));
    expect(error).toBe(own);
    expect(await sent(error)).toEqual(['sent to Ann', notRun, notRun]);
  });

  test.each(forms)('%s: onToolEnd throws while others run at the same time', async (_name, start) => {
    fake.reset().answer(driver.operation, { turn: calls });
    const own = new Error('the screen is gone');
    const onToolEnd = ({ id }: { id: string }): void => {
      if (id === 'c') throw own;
    };
    const error = await failure(start(driver, clientFor(fake), { options: { onToolEnd, parallel: true } }));
    expect(error).toBe(own);
    expect(await sent(error)).toEqual(['sent to Ann', unknown, 'sent to Cem']);
  });

  test.each(forms)('%s: a later call of the model fails, on the wire and at the service', async (_name, start) => {
    for (const fault of [faults.resetBeforeHeaders(), faults.error(400, '1210')]) {
      fake.reset().answer(driver.operation, { turn: first }, fault);
      const client = clientFor(fake, { maxRetries: 0 });
      const error = await failure(start(driver, client, {}));
      expect(error).toMatchObject({ kind: fault.fault === 'resetBeforeHeaders' ? 'connection' : 'api' });
      expect(await sent(error)).toEqual(['sent to Zoe']);
    }
  });

  test.each(forms)('%s: the limit of rounds', async (_name, start) => {
    fake.reset().answer(driver.operation, { turn: first }, { turn: calls });
    const error = await failure(start(driver, clientFor(fake), { options: { maxRounds: 1 } }));
    expect(isModelsvcError(error, 'tool-loop') && error.transcript).toBe(toolRun(error as Error)?.transcript);
    expect(await sent(error)).toEqual(['sent to Zoe', notRun, notRun, notRun]);
  });

  test.each(forms)('%s: an invalid decision, and an onRound that throws', async (_name, start) => {
    const own = new Error('not today');
    const throwing = (): never => {
      throw own;
    };
    for (const onRound of [() => 'allow', throwing]) {
      fake.reset().answer(driver.operation, { turn: calls });
      const error = await failure(start(driver, clientFor(fake), { options: { onRound } }));
      expect(error === own || isModelsvcError(error, 'validation')).toBe(true);
      expect(await sent(error)).toEqual([notRun, notRun, notRun]);
    }
  });

  test.each([false, true])('a tool that ends its work and aborts the run keeps its result; streamed: %s', async (stream) => {
    fake.reset().answer(driver.operation, { turn: calls });
    const controller = new AbortController();
    const tool = defineTool({
      name: 'send',
      input: object,
      run: async () => {
        controller.abort();
        return 'sent';
      },
    });
    const error = await failure(looped(driver, clientFor(fake), { stream, tools: [tool], signal: controller.signal }));
    expect(await sent(error)).toEqual(['sent', notRun, notRun]);
  });

  test('a stream that was left, and an answer that ended early with calls, have such a transcript too', async () => {
    fake.reset().answer(driver.operation, { turn: first }, { turn: { text: ['one ', 'two'] } });
    const tool = (typedTools(() => undefined) as never[]).slice(0, 1) as never;
    const stream = driver.service(clientFor(fake)).streamWithTools(undefined, driver.request('Write.'), tool);
    for await (const item of stream) if (JSON.stringify(item).includes('one ')) break;
    expect(await sent(stream)).toEqual(['sent to Zoe']);

    fake.reset().answer(driver.operation, { turn: { ...first, finish: 'length' } });
    const reply = await driver.service(clientFor(fake)).runWithTools(undefined, driver.request('Write.'), tool);
    expect(await sent(reply)).toEqual([notRun]);
  });
});

test('the strict fake refuses a call without its result, and a result without its call, on each surface', async () => {
  const strict = await startFakeService({ toolResults: 'required' });
  const lax = await startFakeService();
  try {
    const user = { role: 'user', content: 'Hi' };
    const asked = { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] };
    const used = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] };
    const told = { role: 'tool', tool_call_id: 'a', content: 'x' };
    const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
    const item = { type: 'message', role: 'user', content: 'Hi' };
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'a', output: 'x' };
    const cases: readonly (readonly [path: string, list: object[], reason: string | undefined])[] = [
      ['/chat/completions', [user, asked, told], undefined],
      ['/chat/completions', [user, asked], 'The call "a" has no result.'],
      ['/chat/completions', [user, asked, user, told], 'The call "a" has no result before messages[2].'],
      ['/chat/completions', [user, told], 'messages[1] is the result of "a", which no call before it has.'],
      ['/chat/completions', [user, { ...asked, tool_calls: [{ id: 'm', type: 'mcp', mcp: {} }], content: 'x' }], undefined],
      ['/v1/messages', [user, used, results], undefined],
      ['/v1/messages', [user, used], 'The call "a" has no result.'],
      ['/v1/messages', [user, used, user], 'The call "a" has no result before messages[2].'],
      ['/v1/messages', [results], 'messages[0] is the result of "a", which no call before it has.'],
      ['/responses', [item, call, output], undefined],
      ['/responses', [item, call, item], 'The call "a" has no result.'],
      ['/responses', [item, output], 'input[1] is the result of "a", which no call before it has.'],
    ];
    for (const [path, list, reason] of cases) {
      const fields = path === '/responses' ? { input: list } : { messages: list, max_tokens: 10 };
      const init = {
        method: 'POST',
        headers: { authorization: 'Bearer fake-id.fake-secret', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'glm-5.2', ...fields }),
      };
      expect((await fetch(lax.url + path, init)).status).toBe(200);
      expect([list, (await fetch(strict.url + path, init)).status]).toEqual([list, reason === undefined ? 200 : 400]);
      expect(strict.requests.at(-1)?.refusal?.reason).toBe(reason);
    }
  } finally {
    await strict.close();
    await lax.close();
  }
});
