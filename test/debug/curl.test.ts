import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formArgument } from '../../src/debug/curl.ts';
import { type CurlOptions, toCurl } from '../../src/debug/index.ts';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { type Client, isModelsvcError, newClient, newFunctionTool } from '../../src/overlay/index.ts';
import { type FakeRequest, fakeKey } from '../../src/testing/index.ts';
import { altered } from '../support/altered.ts';
import { anyCharacter } from '../support/any-character.ts';
import { transports } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

const run = promisify(execFile);
const fake = await sharedFake({ validate: false });

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const content = '{}\n';
const file = new TextEncoder().encode(content);

/** The request that `everyOperation` gives to the client, with each id under its name in the path. */
function requestOf({ id, pathParameters }: Route): object {
  let given: unknown[] = [];
  const client = altered(newClient(fake.configFor()), ([, ...values]) => {
    given = values;
    return [AbortSignal.abort(), ...values];
  });
  void everyOperation[id]?.perform(client).catch(() => undefined);
  return pathParameters.length > 0 ? Object.fromEntries(pathParameters.map((name, at) => [name, given[at]])) : (given[0] ?? {});
}

/** Headers of the connection and of the transport. */
const framing = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'accept-encoding', 'sec-fetch-mode', 'expect'];

/** The request as the fake received it: everything but the framing and the boundary of a form. */
function received({ method, target, headers, body, bytes }: FakeRequest): unknown {
  const own = Object.entries(headers).filter(([name]) => !framing.includes(name));
  const shown = Object.fromEntries(own.map(([name, value]) => [name, value.replace(/boundary=.*/, 'boundary')]));
  const isForm = headers['content-type']?.startsWith('multipart/');
  return { method, target, headers: shown, body, text: isForm ? '' : new TextDecoder().decode(bytes) };
}

/** Run a command in a shell and return the request that it sends. */
async function sentBy(command: string, folder?: string): Promise<unknown> {
  const before = fake.requests.length;
  await run('sh', ['-c', command], { env: { PATH: process.env['PATH'], SVC_API_KEY: fakeKey }, ...(folder && { cwd: folder }) });
  expect(fake.requests).toHaveLength(before + 1);
  return received(fake.requests[before] as FakeRequest);
}

/** Perform a call and return its request. Its reply does not matter. */
async function sentThrough(perform: (client: Client) => unknown, options: Partial<CurlOptions> = {}): Promise<unknown> {
  const before = fake.requests.length;
  await Promise.resolve(perform(newClient(fake.configFor({ ...options, maxRetries: 0 })))).catch(() => undefined);
  return received(fake.requests[before] as FakeRequest);
}

async function folderWith(path: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-curl-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
  return folder;
}

describe('the printed command sends what the client sends', () => {
  test.each(allRoutes)('$id', async (route) => {
    const command = toCurl(route.id, requestOf(route), fake.configFor());
    expect(command).not.toContain('fake-secret');
    const name = /-F 'file=@([\w.]+);/.exec(command)?.[1];
    const sent = await sentBy(command, name && (await folderWith(name)));
    expect(sent).toEqual(await sentThrough((client) => everyOperation[route.id]?.perform(client)));
  });

  const streams: readonly (readonly [string, object, (client: Client) => AsyncIterator<unknown>])[] = [
    ['chat.stream', chat, (c) => c.chat().stream(undefined, chat)],
    ['anthropic.stream', { ...chat, max_tokens: 9 }, (c) => c.anthropic().stream(undefined, { ...chat, max_tokens: 9 })],
    ['agents.stream', { agent_id: 'a', messages }, (c) => c.agents().stream(undefined, { agent_id: 'a', messages })],
    [
      'audio.speechStream',
      { model: 'glm-tts', input: 'a', voice: 'b' },
      (c) => c.audio().speechStream(undefined, { model: 'glm-tts', input: 'a', voice: 'b' }),
    ],
    [
      'audio.transcribeStream',
      { model: 'glm-asr-2512', file, filename: 'a.wav' },
      (c) => c.audio().transcribeStream(undefined, { model: 'glm-asr-2512', file, filename: 'a.wav' }),
    ],
  ];
  test.each(streams)('%s', async (operation, request, open) => {
    const command = toCurl(operation, request, fake.configFor());
    expect(command).toContain('--no-buffer');
    const sent = await sentBy(command, await folderWith('a.wav'));
    expect(sent).toEqual(
      await sentThrough(async (client) => {
        const stream = open(client);
        await stream.next();
        await stream.return?.();
      }),
    );
  });

  describe.each(transports)('over $transport', ({ overrides }) => {
    const parameters = { type: 'object' as const, properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    const options = { ...overrides, userAgent: 'it\'s $HOME `id` \\ "quoted"' };

    test.each([false, true])('tool schemas, images and the user agent, with disableToolSchemaCompat %s', async (disableToolSchemaCompat) => {
      const request = {
        ...chat,
        messages: [{ ...messages[0], role: 'user' as const, images: ['https://example.com/a.png'] }],
        tools: [newFunctionTool('a', 'b', parameters)],
      };
      const given = { ...options, disableToolSchemaCompat };
      const sent = await sentBy(toCurl('chat.create', request, fake.configFor(given)));
      expect(sent).toEqual(await sentThrough((client) => client.chat().create(undefined, request), given));
      expect(JSON.stringify(sent).includes('anyOf')).toBe(disableToolSchemaCompat);
    });

    test('the headers of the message surface', async () => {
      const request = { ...chat, max_tokens: 9, tools: [{ name: 'a', input_schema: parameters }] };
      const sent = await sentBy(toCurl('anthropic.create', request, fake.configFor(options)));
      expect(sent).toEqual(await sentThrough((client) => client.anthropic().create(undefined, request), options));
      expect(sent).toMatchObject({ headers: { 'anthropic-version': expect.any(String), authorization: `Bearer ${fakeKey}` } });
    });
  });

  test('query parameters', async () => {
    const query = { purpose: "a b&c=d'[]{}", limit: 3 };
    const sent = await sentBy(toCurl('files.list', query, fake.configFor()));
    expect(sent).toEqual(await sentThrough((client) => client.files().list(undefined, query)));
  });

  test.each(['a.jsonl', 'folder/a.jsonl', 'it\'s; type=a, "b" \\ ü.jsonl', ' .jsonl'])('a file by its path: %s', async (path) => {
    const request = { file: path, purpose: "it's @here; <there" };
    const sent = await sentBy(toCurl('files.upload', request, fake.configFor()), await folderWith(path));
    const name = path.split('/').at(-1) as string;
    const upload = { ...request, file: new File([file], name) };
    const { body } = (await sentThrough((client) => client.files().upload(undefined, upload))) as FakeRequest;
    expect((sent as FakeRequest).body).toEqual(body);
  });

  test('a file with another name and type', async () => {
    const request = { file: 'a.txt', filename: 'b "c".jsonl', contentType: 'application/jsonl', purpose: 'batch' };
    const sent = await sentBy(toCurl('files.upload', request, fake.configFor()), await folderWith('a.txt'));
    expect(sent).toEqual(await sentThrough((client) => client.files().upload(undefined, { ...request, file })));
  });

  test('a body that is too long for an argument', async () => {
    const request = { ...chat, messages: [{ role: 'user' as const, content: `'$HOME\n${'ü'.repeat(300_000)}` }] };
    const folder = await folderWith('x');
    await writeFile(join(folder, 'command.sh'), toCurl('chat.create', request, fake.configFor()));
    expect(await sentBy('sh command.sh', folder)).toEqual(await sentThrough((client) => client.chat().create(undefined, request)));
  });
});

describe('quoting', () => {
  /** The arguments that a shell passes to curl. */
  async function argumentsOf(command: string): Promise<string[]> {
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { env: { SVC_API_KEY: 'the key' } });
    return stdout.split('\0').slice(0, -1);
  }

  const nasty = fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^['"$`\\!\n\r\t @<;,=&|(){}[\]*?~#%-]{0,20}$/));

  test('any text reaches the service unchanged, whatever a shell would make of it', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, nasty, async (text, name) => {
        const request = { model: 'glm-4.6', messages: [{ role: 'user', content: `x${text}` }], [`a field ${name}`]: text };
        const given = await argumentsOf(toCurl('chat.create', request));
        expect(given.at(-2)).toBe('--data-raw');
        // As `create` sends it.
        expect(given.at(-1)).toBe(JSON.stringify({ ...request, stream: true }));
        expect(given).toContain('authorization: Bearer the key');
      }),
      { numRuns: 60 },
    );
  });

  const plain = nasty.map((text) => text.replace(/[\0\ud800-\udfff]/g, ''));

  test('form fields too', async () => {
    await fc.assert(
      fc.asyncProperty(
        plain.map((text) => `x${text}`),
        async (text) => {
          const given = await argumentsOf(toCurl('files.upload', { file: 'a.jsonl', purpose: 'batch', note: text }));
          expect(given.slice(-2)).toEqual(['--form-string', `note=${text}`]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a text with a type of its own too', async () => {
    await fc.assert(
      fc.asyncProperty(plain, async (text) => {
        const before = fake.requests.length;
        await run('sh', ['-c', `curl -s ${formArgument({ name: 'meta', text, type: 'text/x-note' }, undefined)} ${fake.url}/files`]);
        expect(fake.requests[before]?.parts).toMatchObject([{ name: 'meta', headers: { 'content-type': 'text/x-note' }, bytes: Buffer.from(text) }]);
      }),
      { numRuns: 40 },
    );
  });

  test('an address with brackets is not a pattern', () => {
    expect(toCurl('models.list', {}, { baseURL: 'http://[::1]:8080' })).toMatch(/^curl --globoff 'http:\/\/\[::1\]:8080\/models'/);
  });
});

describe('roots', () => {
  test.each<[string, object, CurlOptions, string]>([
    ['models.list', {}, {}, 'https://api.z.ai/api/paas/v4/models'],
    ['models.list', {}, { baseURL: 'https://example.com/v1/' }, 'https://example.com/v1/models'],
    ['quota.getLimit', {}, { region: 'china' }, 'https://open.bigmodel.cn/api/monitor/usage/quota/limit'],
    ['embeddings.create', { model: 'embedding-3', input: 'a' }, {}, 'https://open.bigmodel.cn/api/paas/v4/embeddings'],
    ['account.info', {}, { endpoints: 'http://localhost:1' }, 'http://localhost:1/account/info'],
    ['account.info', {}, { endpoints: { biz: 'http://localhost:1' } }, 'http://localhost:1/account/info'],
  ])('%s %j %j', (operation, request, options, url) => {
    expect(toCurl(operation, request, options).split('\n')[0]).toContain(`'${url}'`);
  });
});

describe('bad input is one clear error', () => {
  test.each<[unknown, unknown, string]>([
    ['chat.crate', {}, 'toCurl: operation "chat.crate" is unknown; did you mean chat.create?'],
    ['Chat.Stream', {}, 'toCurl: operation "Chat.Stream" is unknown; did you mean chat.stream?'],
    ['file.upload', {}, 'toCurl: operation "file.upload" is unknown; did you mean files.upload?'],
    ['nonsense', {}, 'toCurl: operation "nonsense" is unknown; use the id of an operation, for instance chat.create'],
    ['constructor', {}, 'toCurl: operation "constructor" is unknown; use the id of an operation, for instance chat.create'],
    [undefined, {}, 'toCurl: operation "" is unknown; use the id of an operation, for instance chat.create'],
    ['x'.repeat(10_000), {}, `toCurl: operation "${'x'.repeat(63)}…" is unknown; use the id of an operation, for instance chat.create`],
    ['chat.create', {}, 'chat.create: model is required'],
    ['chat.stream', { model: 'a' }, 'chat.stream: messages is required'],
    ['chat.create', null, 'chat.create: the request must be an object'],
    ['chat.create', 'a', 'chat.create: the request must be an object'],
    ['chat.create', { ...chat, stream: true }, 'chat.create: stream must not be true here: use chat().stream'],
    ['chat.create', { ...chat, extra: 1n }, 'chat.create: the request cannot be written as JSON'],
    ['files.delete', {}, 'files.delete: file_id is required'],
    ['files.delete', { file_id: '..' }, 'files.delete: file_id must not be "." or ".."'],
    ['files.upload', { purpose: 'batch' }, 'files.upload: file is required'],
    ['files.upload', { purpose: 'batch', file: '' }, 'files.upload: file must not be empty'],
    ['files.upload', { purpose: 'batch', file: 7 }, 'files.upload: file must be a Blob'],
    ['files.upload', { purpose: 'a\0b', file: 'a.jsonl' }, 'files.upload: the request has a NUL character, which a shell cannot pass'],
    ['quota.getToolUsage', { start: 'today' }, 'quota.getToolUsage: start must be a valid Date'],
    ['anthropic.countTokens', { model: 'a', messages, tools: [7] }, 'anthropic.countTokens: tools[0] must be an object'],
  ])('%s %o', async (operation, request, message) => {
    const failure = await failureOf(() => toCurl(operation as string, request as object));
    expect((failure as Error).message).toContain(message);
    expect(isModelsvcError(failure, 'validation')).toBe(true);
  });

  test.each<[unknown, string]>([
    [null, 'toCurl: options must be an object'],
    ['https://example.com', 'toCurl: options must be an object'],
    [{ baseURL: 'example.com' }, 'baseURL must be an absolute URL, such as https://gateway.example/v1'],
    [{ baseUrl: 'http://localhost:1' }, 'baseUrl is unknown; did you mean baseURL?'],
    [{ region: 'mars' }, 'region must be'],
    [{ endpoints: { biz: 'x' } }, 'endpoints.biz must be an absolute URL, such as https://gateway.example/v1'],
    [{ userAgent: 'a\nb' }, 'userAgent must be'],
    [{ disableToolSchemaCompat: 1 }, 'disableToolSchemaCompat must be true or false'],
  ])('options %j', async (options, message) => {
    const failure = await failureOf(() => toCurl('models.list', {}, options as never));
    expect((failure as Error).message).toContain(message);
    expect(isModelsvcError(failure, 'config')).toBe(true);
  });
});

test('no key of a Config is in the command, and no hook or fetch of it is called', () => {
  const config = {
    apiKey: 'key-4711',
    chinaAPIKey: 'key-4712',
    hooks: [{ onStart: () => expect.unreachable() }],
    httpClient: () => expect.unreachable(),
    maxRetries: 9,
    concurrency: { max: 1 },
  };
  for (const route of allRoutes) expect(toCurl(route.id, requestOf(route), config)).not.toMatch(/471|PLACEHOLDER/);
});

test('the request is not changed, and its file is not read', () => {
  const opened = { name: 'a.jsonl', open: () => expect.unreachable() };
  const request = Object.freeze({ file: opened, purpose: 'batch' });
  expect(toCurl('files.upload', request)).toContain("-F 'file=@a.jsonl;type=application/octet-stream'");
  const stream = new ReadableStream();
  toCurl('files.upload', { file: stream, purpose: 'batch' });
  expect(stream.locked).toBe(false);
});
