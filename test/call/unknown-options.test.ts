import { describe, expect } from 'vitest';
import { mcpTools } from '../../src/mcp/index.ts';
import { configFields, endpointNames } from '../../src/overlay/config.ts';
import { type CallContext, type Client, type Config, type Hook, newClient, newFunctionTool, outputFormat } from '../../src/overlay/index.ts';
import { Chat, newService } from '../../src/services/index.ts';
import { configFor, startFakeService } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const hello = { model: 'glm-4.6', messages };
const message = { model: 'glm-4.7', max_tokens: 9, messages };
const withTool = { ...hello, tools: [newFunctionTool('f', 'F.', { type: 'object' })] };
const schema = { type: 'object', properties: {} } as const;

describe('an unknown field of a Config', () => {
  it.each([
    ['baseUrl', 'baseURL'],
    ['timeoutMs', 'timeout'],
    ['fetch', 'httpClient'],
    ['defaultHeaders', 'headers'],
    ['logLevel', 'hooks'],
  ])('%s is refused, and %s is named', async (field, near) => {
    const config = { apiKey: 'any', [field]: 'http://127.0.0.1:1' } as unknown as Config;
    for (const make of [() => newClient(config), () => newService(Chat, config)]) {
      const error = await failureOf(make);
      expect(error).toSatisfy(ofKind('config'));
      expect((error as Error).message).toBe(`${field} is unknown; did you mean ${near}?`);
    }
  });

  it('without a similar name is named alone, because a list of all names is too long', async () => {
    const error = (await failureOf(() => newClient({ apiKey: 'any', organization: 'o' } as Config))) as Error;
    expect(error).toSatisfy(ofKind('config'));
    expect(error.message).toBe('organization is unknown; remove it, or check its name');
  });

  it('of endpoints is refused too', async () => {
    const error = await failureOf(() => newClient({ apiKey: 'any', endpoints: { message: 'http://127.0.0.1:1' } } as unknown as Config));
    expect(error).toSatisfy(ofKind('config'));
    expect((error as Error).message).toBe('endpoints.message is unknown; did you mean messages?');
  });

  it('endpoints as a URL object are refused, because they would move no root', async () => {
    const config = { apiKey: 'any', endpoints: new URL('http://127.0.0.1:1') } as unknown as Config;
    const error = await failureOf(() => newClient(config));
    expect(error).toSatisfy(ofKind('config'));
    expect((error as Error).message).toBe('endpoints must be a URL as text, for every root, or an object of roots');
  });

  it('undefined fields, inherited fields and symbols pass', () => {
    const undefinedFields = Object.fromEntries([...Object.keys(configFields), 'baseUrl'].map((name) => [name, undefined]));
    newClient({ ...undefinedFields, apiKey: 'any' } as unknown as Config);
    class Base {
      get nonsense(): number {
        return 1;
      }
    }
    class Mine extends Base {
      readonly apiKey = 'any';
    }
    newClient(new Mine());
    newClient(Object.assign(Object.create({ nonsense: 1 }), { apiKey: 'any', [Symbol('own')]: 1 }) as Config);
  });

  it('never appears in full if it is long, and its value never', async () => {
    const error = (await failureOf(() => newClient({ apiKey: 'any', ['x'.repeat(100_000)]: 'SECRET-VALUE' } as unknown as Config))) as Error;
    expect(error.message.length).toBeLessThan(1000);
    expect(error.message).not.toContain('SECRET-VALUE');
  });

  it.each([[[null]], [[{}, () => undefined]], ['log'], [null]])('hooks %j are refused', async (hooks) => {
    const error = await failureOf(() => newClient({ apiKey: 'any', hooks } as unknown as Config));
    expect(error).toSatisfy(ofKind('config'));
    expect((error as Error).message).toBe('hooks must be an array of Hook objects');
  });

  it('a hook may have state and inherited methods', () => {
    class Counter implements Hook {
      count = 0;
      readonly names: string[] = [];
      readonly flush = (): void => undefined;
      onRequest(): void {
        this.count++;
      }
    }
    newClient({ apiKey: 'any', hooks: [new Counter(), {}] });
  });

  it.each(['café', 'a\u0001b', 'a\r\nb', '日本', ''])('userAgent %j is refused', async (userAgent) => {
    const error = await failureOf(() => newClient({ apiKey: 'any', userAgent }));
    expect(error).toSatisfy(ofKind('config'));
    expect((error as Error).message).toBe('userAgent must be ASCII text without control characters');
  });
});

describe('an unknown field of options is refused before a request', () => {
  const executor = (): string => 'done';
  const cases: [name: string, call: (client: Client) => unknown, message: string][] = [
    ['a context', (c) => c.chat().create({ timeoutMs: 5 } as CallContext, hello), 'chat.create: ctx.timeoutMs is unknown; did you mean timeout?'],
    [
      'a context of the message surface',
      (c) => c.anthropic().create({ header: {} } as CallContext, message),
      'anthropic.create: ctx.header is unknown; did you mean headers?',
    ],
    [
      'a context of a stream',
      (c) =>
        c
          .chat()
          .stream({ retries: 1, signals: [] } as CallContext, hello)
          .next(),
      'chat.stream: ctx.retries is unknown; did you mean maxRetries?',
    ],
    [
      'a context of a tool loop',
      (c) => c.chat().runWithTools({ maxRetry: 0 } as CallContext, withTool, executor),
      'chat.runWithTools: ctx.maxRetry is unknown; did you mean maxRetries?',
    ],
    [
      'a context of a monitor call',
      (c) => c.quota().getLimit({ timeOut: 5, x: 1 } as CallContext),
      'quota.getLimit: ctx.timeOut is unknown; did you mean timeout?',
    ],
    [
      'a wait',
      (c) => c.waitForResult(undefined, 'id', { intervalMs: 5 } as object),
      'waitForResult: options.intervalMs is unknown; did you mean interval?',
    ],
    [
      'the wait of the file parser',
      (c) => c.fileParser().wait(undefined, 'id', 'text', { maxwait: 5 } as object),
      'fileParser.wait: options.maxwait is unknown; did you mean maxWait?',
    ],
    [
      'the wait of agents',
      (c) => c.agents().wait(undefined, { agent_id: 'a', async_id: 'b' }, { onprogress: executor } as object),
      'agents.wait: options.onprogress is unknown; use one of interval, maxWait, onState',
    ],
    [
      'the wait of a batch',
      (c) => c.batch().wait(undefined, 'id', { resume: 'x' } as object),
      'batch.wait: options.resume is unknown; use one of interval, maxWait, onState',
    ],
    [
      'a run of a batch',
      (c) => c.batch().run(undefined, [{ body: hello }], { onCreate: executor } as object),
      'batch.run: options.onCreate is unknown; did you mean onCreated?',
    ],
    [
      'a tool loop',
      (c) => c.chat().runWithTools(undefined, hello, executor, { paralel: true } as object),
      'chat.runWithTools: options.paralel is unknown; did you mean parallel?',
    ],
    [
      'a tool loop with another name for its limit',
      (c) => c.anthropic().runWithTools(undefined, message, executor, { max_rounds: 3 } as object),
      'anthropic.runWithTools: options.max_rounds is unknown; did you mean maxRounds?',
    ],
    [
      'a streamed tool loop',
      (c) =>
        c
          .anthropic()
          .streamWithTools(undefined, message, executor, { maxRound: 3 } as object)
          .next(),
      'anthropic.streamWithTools: options.maxRound is unknown; did you mean maxRounds?',
    ],
    [
      'the billed probe',
      (c) => c.detection().probeWithBilledChat(undefined, { modle: 'x' } as object),
      'detection.probeWithBilledChat: options.modle is unknown; did you mean model?',
    ],
    ['a format', () => outputFormat(schema, { stricct: false } as object), 'outputFormat: options.stricct is unknown; did you mean strict?'],
    [
      'tools of MCP',
      () => mcpTools({ listTools: () => Promise.reject(new Error('asked')) } as never, { prefx: 'a' } as object),
      'mcpTools: options.prefx is unknown; did you mean prefix?',
    ],
    ['the fake', () => startFakeService({ validat: false } as object), 'startFakeService: options.validat is unknown; did you mean validate?'],
  ];

  it.each(cases)('%s', async (_name, call, text) => {
    const { client, fake } = await openFake();
    const error = await failureOf(async () => call(client));
    expect(error).toSatisfy(ofKind('validation'));
    expect((error as Error).message).toBe(text);
    expect(fake.requests).toEqual([]);
    expect(fake.sockets).toBe(0);
  });

  it('in scripts of the fake too', async ({ fake }) => {
    expect(await failureOf(() => fake.task({ state: ['FAIL'] } as object))).toMatchObject({
      message: 'task: state is unknown; did you mean states?',
    });
    expect(await failureOf(() => fake.chat.reply({ txt: 'hi' } as object))).toMatchObject({
      message: 'chat.create: turn.txt is unknown; did you mean text?',
    });
    expect(await failureOf(() => fake.idle({ socket: true } as object))).toMatchObject({
      message: 'idle: options.socket is unknown; did you mean sockets?',
    });
    expect(await failureOf(() => newClient(configFor(fake.url, { maxRetrys: 0 } as object)))).toSatisfy(ofKind('config'));
  });
});

it('unknown fields of a request pass', async ({ client, fake }) => {
  await client.chat().create(undefined, { ...hello, baseUrl: 1, seed_hint: 5 } as never);
  expect(fake.requests[0]?.body).toMatchObject({ baseUrl: 1, seed_hint: 5 });
});

it('every name of a root can be replaced', () => {
  for (const name of Object.keys(endpointNames)) newClient({ apiKey: 'any', endpoints: { [name]: 'http://127.0.0.1:1' } });
});
