import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, vi } from 'vitest';
import { isApiError } from '../../../src/overlay/index.ts';
import { type CassetteFetch, fakeKey, faults, recordExchanges, replayExchanges } from '../../../src/testing/index.ts';
import { taken } from '../../support/both-ways.ts';
import { stoppedClock, until } from '../../support/clock.ts';
import { test } from '../../support/fixture.ts';
import { failureOf } from '../../support/spec.ts';
import { clientOver, contentOf, newFile, noSockets, quietWarnings, recorder } from './support.ts';

const model = 'glm-5.3';
const question = (content: string): { model: string; messages: { role: 'user'; content: string }[] } => ({
  model,
  messages: [{ role: 'user', content }],
});
const textOf = async (client: ReturnType<typeof clientOver>, content: string): Promise<unknown> =>
  (await client.chat().create(undefined, question(content))).choices[0]?.message.content;

describe('the mode', () => {
  test('once: records what is missing, and answers the rest from the file', async ({ fake }) => {
    const file = newFile();
    fake.chat.reply('one').reply('two');
    expect(await textOf(clientOver(recorder(file), fake.url), 'a')).toBe('one');
    const client = clientOver(recorder(file), fake.url);
    expect([await textOf(client, 'a'), await textOf(client, 'b')]).toEqual(['one', 'two']);
    expect(fake.requests).toHaveLength(2);
    expect(contentOf(file).exchanges).toHaveLength(2);
  });

  test('once, where CI is set: never records', async ({ fake }) => {
    const warnings = quietWarnings();
    const file = newFile();
    await textOf(clientOver(recorder(file), fake.url), 'a');
    for (const [CI, sent] of [
      ['true', 0],
      ['1', 0],
      ['false', 1],
      ['', 1],
    ] as const) {
      fake.reset();
      vi.stubEnv('CI', CI);
      await textOf(clientOver(recordExchanges({ file }), fake.url), `b ${CI}`).catch(() => undefined);
      expect([CI, fake.requests.length]).toEqual([CI, sent]);
    }
    vi.stubEnv('CI', 'true');
    expect(() => recordExchanges({ file: newFile('none.json') })).toThrow(/none\.json\. Record it where CI is not set, or pass ci: false\.$/);
    expect(warnings).toHaveLength(2);
  });

  test('record: sends everything again, and replaces the answers', async ({ fake }) => {
    const file = newFile();
    fake.chat.reply('one').reply('kept').reply('new');
    const before = clientOver(recorder(file), fake.url);
    await textOf(before, 'a');
    await textOf(before, 'b');
    expect(await textOf(clientOver(recorder(file, { mode: 'record' }), fake.url), 'a')).toBe('new');
    const replay = clientOver(replayExchanges(file));
    expect([await textOf(replay, 'a'), await textOf(replay, 'b')]).toEqual(['new', 'kept']);
  });

  test('record: gives the same bytes where only ids, times and gaps differ', async ({ fake }) => {
    const file = newFile();
    const run = async (): Promise<string> => {
      const cassette = recorder(file, { mode: 'record' });
      const client = clientOver(cassette, fake.url);
      fake.answer('chat.create', {
        body: {
          id: `chatcmpl-${Math.random().toString(36).slice(2)}x0123456789ab`,
          created: Date.now(),
          choices: [{ index: 0, message: { role: 'assistant', content: 'x' } }],
        },
      });
      await textOf(client, 'a');
      await taken(client.chat().stream(undefined, question('b')));
      await taken(client.responses().stream(undefined, { model, input: 'c' }));
      await cassette.save();
      return readFileSync(file, 'utf8');
    };
    const first = await run();
    expect(await run()).toBe(first);
    expect(await run()).toBe(first);
  });
});

describe('a request that is not in the file', () => {
  test('fails with the differences from the nearest one, without a retry, and without a word of the prompt', async ({ fake }) => {
    const warnings = quietWarnings();
    const file = newFile();
    const recording = clientOver(recorder(file), fake.url);
    await textOf(recording, 'Is it sunny in Paris?');
    await recording.responses().create(undefined, { model, input: 'hi' });
    const cassette = replayExchanges(file);
    const sent = { ...question('Is it sunny in Rome?'), temperature: 0.5, stop: ['SECRET-PLAN'] };
    const error = await failureOf(() => clientOver(cassette).chat().create(undefined, sent));
    expect(isApiError(error) && [error.status, error.code, error.attempts, error.retryable]).toEqual([417, 'not_recorded', 1, false]);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        'The nearest recorded request differs: body.messages[0].content differs from character 16 on; ' +
          'body.temperature is 0.5, recorded as missing; body.stop is a list of 1, recorded as missing.',
      ),
    });
    expect(String(error)).not.toMatch(/Rome|Paris|SECRET/);
    expect(cassette.problems).toHaveLength(1);
    expect(warnings).toEqual(cassette.problems);
    await expect(cassette.save()).rejects.toThrow('POST localhost/chat/completions is not in');
  });

  test('is read by openai, which does not retry it either', async ({ fake }) => {
    quietWarnings();
    const file = newFile();
    await textOf(clientOver(recorder(file), fake.url), 'a');
    const cassette = replayExchanges(file);
    const openai = new OpenAI({ apiKey: fakeKey, baseURL: fake.url, fetch: cassette });
    await expect(openai.chat.completions.create({ model: 'glm-5.2', messages: question('a').messages })).rejects.toThrow(
      /^417 POST localhost\/chat\/completions is not in .*cassette\.json\. The nearest recorded request differs: body\.model is "glm-5\.2", recorded as "glm-5\.3"\./,
    );
    expect(cassette.problems).toHaveLength(1);
  });

  test('to another place names the place', async ({ fake }) => {
    quietWarnings();
    const file = newFile();
    await textOf(clientOver(recorder(file), fake.url), 'a');
    const error = await failureOf(() => clientOver(replayExchanges(file), 'http://api.example').chat().create(undefined, question('a')));
    expect(String(error)).toContain('host is "api.example", recorded as "localhost"');
  });

  test.for([
    ['fields that select no answer', { request_id: 'another', user_id: 'another', metadata: { any: 1 } }, {}],
    ['the fields of the option', { seed: 7 }, { ignore: ['seed'] }],
  ] as const)('is found whatever %s are', async ([, more, options], { fake }) => {
    const file = newFile();
    const recorded = await clientOver(recorder(file), fake.url).chat().create(undefined, question('a'));
    const replayed = await clientOver(replayExchanges(file, options))
      .chat()
      .create(undefined, { ...question('a'), ...more });
    expect(replayed.choices).toEqual(recorded.choices);
  });

  test('is found under another host with the option', async ({ fake }) => {
    const file = newFile();
    await textOf(clientOver(recorder(file, { hosts: { localhost: 'wrong', '127.0.0.1': 'api.z.ai' } }), fake.url), 'a');
    expect(contentOf(file).exchanges[0]?.request.host).toBe('api.z.ai');
    await textOf(clientOver(replayExchanges(file, { hosts: { 'gateway.example:8443': 'api.z.ai' } }), 'https://gateway.example:8443'), 'a');
  });
});

describe('equal requests', () => {
  test('are answered in their order, and then fail', async ({ fake }) => {
    quietWarnings();
    const file = newFile();
    fake.chat.reply('one').reply('two');
    const recording = clientOver(recorder(file), fake.url);
    await textOf(recording, 'a');
    await textOf(recording, 'a');
    const replay = clientOver(replayExchanges(file));
    expect([await textOf(replay, 'a'), await textOf(replay, 'a')]).toEqual(['one', 'two']);
    expect(String(await failureOf(() => textOf(replay, 'a')))).toContain('once more: its 2 answers are used. Set repeat, or record it again.');
    const repeating = clientOver(replayExchanges(file, { repeat: true }));
    expect([await textOf(repeating, 'a'), await textOf(repeating, 'a'), await textOf(repeating, 'a')]).toEqual(['one', 'two', 'two']);
  });

  test('keep their order if the first reply ends last', async ({ fake }) => {
    const file = newFile();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    fake.answer('chat.create', async () => {
      await gate;
      return { turn: { text: 'one' } };
    });
    const client = clientOver(recorder(file), fake.url);
    const first = textOf(client, 'a');
    await until(() => fake.requests.length === 1);
    fake.chat.reply('two');
    expect(await textOf(client, 'a')).toBe('two');
    expect(contentOf(file).exchanges).toHaveLength(1);
    release();
    await first;
    const replay = clientOver(replayExchanges(file));
    expect([await textOf(replay, 'a'), await textOf(replay, 'a')]).toEqual(['one', 'two']);
  });

  test('are recorded with a failure between them, and retried in the replay as they were', async ({ fake }) => {
    const file = newFile();
    fake.answer('chat.create', faults.serverErrors(2), { turn: { text: 'third' } });
    expect(await textOf(clientOver(recorder(file), fake.url), 'a')).toBe('third');
    noSockets();
    expect(await textOf(clientOver(replayExchanges(file)), 'a')).toBe('third');
    expect(contentOf(file).exchanges.map(({ response }) => response.status)).toEqual([500, 500, 200]);
  });
});

describe('a reply that did not end well', () => {
  test.for([
    ['cut', faults.truncatedStream('midFrame'), 'cut'],
    ['cut between frames', faults.truncatedStream(), undefined],
    ['reset', faults.resetMidBody(), undefined],
    ['malformed', faults.malformedFrame(1), 'closed'],
  ] as const)('%s: gives the same items and the same error', async ([, fault], { fake }) => {
    const file = newFile();
    fake.answer('chat.create', fault);
    const recorded = await taken(clientOver(recorder(file), fake.url, { maxRetries: 0 }).chat().stream(undefined, question('a')));
    noSockets();
    const replayed = await taken(clientOver(replayExchanges(file), undefined, { maxRetries: 0 }).chat().stream(undefined, question('a')));
    expect(recorded.error).toBeDefined();
    expect(shown(replayed.error)).toEqual(shown(recorded.error));
    expect(replayed.items).toHaveLength(recorded.items.length);
  });

  test('a JSON body that was reset fails again in the replay', async ({ fake }) => {
    const file = newFile();
    fake.answer('chat.create', { ...faults.resetMidBody(), reply: { turn: { text: 'x'.repeat(500) } } });
    const recorded = await failureOf(() => textOf(clientOver(recorder(file), fake.url, { maxRetries: 0 }), 'a'));
    const replayed = await failureOf(() => textOf(clientOver(replayExchanges(file), undefined, { maxRetries: 0 }), 'a'));
    expect(shown(replayed)).toEqual(shown(recorded));
    expect(contentOf(file).exchanges[0]?.response.end).toMatch(/cut|reset/);
  });

  test('is recorded up to where the client left, and a replay that reads on fails', async ({ fake }) => {
    const file = newFile();
    const endless = async function* (): AsyncGenerator<object> {
      yield { id: '1', choices: [{ index: 0, delta: { content: 'one ' } }] };
      await new Promise(() => undefined);
    };
    fake.answer('chat.create', { frames: endless() });
    const cassette = recorder(file);
    for await (const _ of clientOver(cassette, fake.url).chat().stream(undefined, question('a'))) break;
    await cassette.save();
    const { response } = contentOf(file).exchanges[0] ?? {};
    expect(response).toMatchObject({ end: 'left' });
    const replayed = await taken(clientOver(replayExchanges(file)).chat().stream(undefined, question('a')));
    expect(replayed.items.length).toBeGreaterThan(0);
    expect(String((replayed.error as Error | undefined)?.cause)).toContain('terminated');
  });

  test('is not recorded if there was no response', async ({ fake }) => {
    const file = newFile();
    fake.answer('chat.create', faults.resetBeforeHeaders(), { turn: { text: 'second' } });
    expect(await textOf(clientOver(recorder(file), fake.url), 'a')).toBe('second');
    expect(contentOf(file).exchanges).toHaveLength(1);
  });
});

describe('the gaps between frames', () => {
  test('are recorded, and kept in the replay if asked for', async ({ fake }) => {
    const file = newFile();
    let release = (): void => undefined;
    const step = (): Promise<void> =>
      new Promise((resolve) => {
        release = resolve;
      });
    const frames = async function* (): AsyncGenerator<object> {
      yield { id: '1', choices: [{ index: 0, delta: { content: 'a' } }] };
      await step();
      yield { id: '1', choices: [{ index: 0, delta: { content: 'b' }, finish_reason: 'stop' }] };
    };
    fake.answer('chat.create', { frames: frames() });
    const clock = stoppedClock();
    const stream = clientOver(recorder(file), fake.url).chat().stream(undefined, question('a'));
    await stream.next();
    clock.pass(700);
    release();
    await taken(stream);
    expect(contentOf(file).exchanges[0]?.response.frames?.map(({ after }) => after)).toEqual([0, 700]);

    const timed = clientOver(replayExchanges(file, { gaps: true }))
      .chat()
      .stream(undefined, question('a'));
    await timed.next();
    const second = timed.next();
    let isThere = false;
    void second.then(() => {
      isThere = true;
    });
    clock.pass(699);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isThere).toBe(false);
    clock.pass(1);
    await second;
    await timed.return?.();
    // Without the option, the clock plays no part.
    expect((await taken(clientOver(replayExchanges(file)).chat().stream(undefined, question('a')))).items).toHaveLength(2);
  });

  test('end with the signal of the caller', async ({ fake }) => {
    const file = newFile();
    const cassette = recorder(file);
    await taken(clientOver(cassette, fake.url).chat().stream(undefined, question('a')));
    await cassette.save();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"after": \d+/g, '"after": 3600000'));
    const controller = new AbortController();
    const stream = clientOver(replayExchanges(file, { gaps: true }))
      .chat()
      .stream(controller.signal, question('a'));
    const next = taken(stream);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(String((await next).error)).toContain('aborted');
  });
});

describe('bad input is refused before anything is sent', () => {
  test('a missing file in replay', () => {
    const file = newFile();
    expect(() => replayExchanges(file)).toThrow(`replayExchanges: file does not exist: ${file}. Record it with recordExchanges.`);
  });

  test('a broken file', () => {
    const file = newFile();
    writeFileSync(file, '{"format":');
    for (const open of [() => replayExchanges(file), () => recorder(file), () => recorder(file, { mode: 'record' })])
      expect(open).toThrow(`${file}: is cut off after 10 characters`);
  });

  test('a folder that is a file, one that cannot be made, and a file that is a folder', () => {
    const file = newFile();
    writeFileSync(file, '');
    expect(() => recorder(join(file, 'x.json'))).toThrow('cannot be used: a part of its path is not a folder');
    expect(() => recorder('/proc/none/x.json')).toThrow(/cannot be used: (?:its folder cannot be made|no permission|the disk can only be read)/);
    expect(() => recorder(dirname(file))).toThrow('cannot be used: it is a folder');
  });

  test.skipIf(process.getuid?.() === 0)('a folder without permission', () => {
    const file = newFile();
    chmodSync(dirname(file), 0o500);
    expect(() => recorder(file)).toThrow('cannot be used: no permission');
  });

  test('options that do not exist', () => {
    const file = newFile();
    expect(() => recorder(file, { mod: 'once' } as never)).toThrow('recordExchanges: options.mod is unknown; did you mean mode?');
    expect(() => recorder(file, { mode: 'twice' as never })).toThrow('recordExchanges: options.mode must be one of once, replay, record');
    expect(() => recorder('')).toThrow('recordExchanges: options.file must be the path of a file');
    expect(() => recorder(file, { maxBodyBytes: 0 })).toThrow('maxBodyBytes must be a number of bytes');
    expect(() => recorder(file, { fetch: 'global' as never })).toThrow('fetch must be a function');
    expect(() => recorder(file, { hosts: null as never })).toThrow('hosts must be an object of names');
    expect(() => recorder(file, { ignore: 'seed' as never })).toThrow('ignore must be a list of names');
    expect(() => replayExchanges(file, { mode: 'once' } as never)).toThrow('replayExchanges: options.mode is unknown');
    expect(() => recorder(file, { redact: { profile: 'all' as never } })).toThrow('redact.profile must be one of cassette, bundle');
  });
});

describe('what is paid for', () => {
  test('is in the file from the end of its reply on, without save', async ({ fake }) => {
    const file = newFile('new/folder/cassette.json');
    const cassette = recorder(file);
    const client = clientOver(cassette, fake.url);
    await textOf(client, 'a');
    expect(contentOf(file).exchanges).toHaveLength(1);
    const stream = client.chat().stream(undefined, question('b'));
    await stream.next();
    expect(contentOf(file).exchanges).toHaveLength(1);
    await taken(stream);
    await cassette.save();
    expect(contentOf(file).exchanges).toHaveLength(2);
    expect(readdirSync(dirname(file))).toEqual(['cassette.json']);
  });

  test('reaches the client if it cannot be written, and no more is sent then', async ({ fake }) => {
    quietWarnings();
    const file = newFile();
    const cassette = recorder(file);
    const client = clientOver(cassette, fake.url);
    writeFileSync(file, 'edited meanwhile');
    fake.chat.reply('one');
    expect(await textOf(client, 'a')).toBe('one');
    const error = await failureOf(() => textOf(client, 'b'));
    expect(String(error)).toContain('cassette.json: is not JSON');
    expect(fake.requests).toHaveLength(1);
    await expect(cassette.save()).rejects.toThrow('is not JSON');
    expect(readFileSync(file, 'utf8')).toBe('edited meanwhile');
  });

  test('reaches the client if it is larger than the bound, which save names', async ({ fake }) => {
    quietWarnings();
    const file = newFile();
    const cassette = recorder(file, { maxBodyBytes: 1000 });
    fake.chat.reply('x'.repeat(2000)).reply('short');
    const client = clientOver(cassette, fake.url);
    expect(await textOf(client, 'a')).toHaveLength(2000);
    expect(await textOf(client, 'b')).toBe('short');
    await expect(cassette.save()).rejects.toThrow('maxBodyBytes is less than the reply to POST localhost/chat/completions has');
    expect(contentOf(file).exchanges).toHaveLength(1);
  });

  test('a reply that is not read is named by save', async ({ fake }) => {
    const cassette = recorder(newFile());
    await cassette(`${fake.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(question('a')),
    });
    const clock = stoppedClock();
    await expect(clock.run(cassette.save(), 1000)).rejects.toThrow('1 replies have not ended after 10000 ms: POST localhost/chat/completions.');
  });
});

describe('other bodies', () => {
  test('bytes, and forms by the names and hashes of their files', async ({ fake }) => {
    const file = newFile();
    const upload = (bytes: string) => ({ file: new Blob([bytes]), filename: 'a.jsonl', purpose: 'batch' as const });
    const recording = clientOver(recorder(file), fake.url);
    const sent = await recording.files().upload(undefined, upload('{"a":1}'));
    const spoken = await (await recording.audio().speech(undefined, { model: 'glm-tts', input: 'hi', voice: 'tongtong' })).bytes();
    noSockets();
    quietWarnings();
    const replay = clientOver(replayExchanges(file));
    expect((await replay.files().upload(undefined, upload('{"a":1}'))).purpose).toBe(sent.purpose);
    expect(await (await replay.audio().speech(undefined, { model: 'glm-tts', input: 'hi', voice: 'tongtong' })).bytes()).toEqual(spoken);
    expect(contentOf(file).exchanges.find(({ request }) => request.parts)?.request.parts).toContainEqual({
      name: 'file',
      filename: 'a.jsonl',
      type: expect.any(String),
      length: 7,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(String(await failureOf(() => replay.files().upload(undefined, upload('{"a":2}'))))).toContain('parts[0].sha256 differs');
  });

  test('forms of the platform, whose boundaries are random', async ({ fake }) => {
    const file = newFile();
    const send = async (fetch: CassetteFetch): Promise<unknown> => {
      const body = new FormData();
      body.set('purpose', 'batch');
      body.set('file', new Blob(['{"a":1}']), 'a.jsonl');
      return (await fetch(`${fake.url}/files`, { method: 'POST', headers: { authorization: `Bearer ${fakeKey}` }, body })).json();
    };
    expect(await send(recorder(file))).toMatchObject({ purpose: 'batch' });
    expect(await send(replayExchanges(file))).toMatchObject({ purpose: 'batch' });
  });

  test('jobs: the id of a job has one name, in replies and in paths', async ({ fake }) => {
    const file = newFile();
    const run = async (client: ReturnType<typeof clientOver>): Promise<unknown> => {
      const { id } = await client.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'rain' });
      return (await client.waitForResult(undefined, id, 1)).task_status;
    };
    const cassette = recorder(file);
    const recorded = await run(clientOver(cassette, fake.url));
    await cassette.save();
    noSockets();
    expect(await run(clientOver(replayExchanges(file)))).toBe(recorded);
    expect(contentOf(file).exchanges.length).toBeGreaterThan(2);
  });

  test('numbers that JavaScript would round stay as they came', async ({ fake }) => {
    const file = newFile();
    fake.answer('chat.create', {
      body: '{"id":"1","choices":[],"big":12345678901234567890,"huge":1e400}',
      headers: { 'content-type': 'application/json' },
    });
    const ask = (fetch: (url: string, init: RequestInit) => Promise<Response>): Promise<string> =>
      fetch(`${fake.url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(question('a')),
      }).then((reply) => reply.text());
    const recorded = await ask(recorder(file));
    expect(await ask(replayExchanges(file))).toBe(recorded);
    expect(recorded).toContain('12345678901234567890,"huge":1e400');
  });
});

/** An error without its ids. */
function shown(error: unknown): object {
  const { name, message, code, phase, problem } = error as Record<string, unknown>;
  return { name, message: String(message).replace(/\[[^\]]*\]|request id \S+/g, ''), code, phase, problem };
}
