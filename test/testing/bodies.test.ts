import { describe, expect, it } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { settled, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'Hi' }] };
const message = { ...request, max_tokens: 10 };

function delta(content: string): object {
  return { id: '1', choices: [{ index: 0, delta: { content } }] };
}

describe.each(transports)('a body that is made while it is sent, over $transport', ({ overrides }) => {
  const client = newClient(fake.configFor({ ...overrides, maxRetries: 0 }));

  it('goes on when the test lets it', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* frames(): AsyncGenerator<string | object> {
      yield delta('one');
      await gate;
      yield delta('two');
      yield 'data: [DONE]\n\n';
    }
    fake.answer('chat.create', { frames: frames() });
    const texts: unknown[] = [];
    for await (const chunk of client.chat().stream(undefined, request)) {
      if (texts.push(chunk.choices?.[0]?.delta?.content) > 1) continue;
      await turns();
      expect(texts).toEqual(['one']);
      goOn();
    }
    expect(texts).toEqual(['one', 'two']);
  });

  it('renders the frames of the surface', async () => {
    async function* frames(): AsyncGenerator<object> {
      yield { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1, output_tokens: 0 } } };
      yield { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
      yield { type: 'message_stop' };
    }
    fake.answer('anthropic.create', { frames: frames() });
    const events: unknown[] = [];
    for await (const { data } of client.anthropic().stream(undefined, message)) events.push(data.type);
    expect(events).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  it('waits while the client does not read, and is closed when the client leaves', async () => {
    let taken = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(64 * 1024).fill(taken++);
      } finally {
        closed = true;
      }
    }
    fake.answer('files.content', { body: endless() });
    const reader = (await client.files().content(undefined, 'f')).stream().getReader();
    await reader.read();
    const before = await settled(() => taken);
    await reader.read();
    await reader.cancel();
    await until(() => closed);
    await fake.idle();
    expect(before).toBeLessThan(1000);
    expect(fake.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('may wait for ever when the client leaves', async () => {
    async function* silent(): AsyncGenerator<string> {
      yield 'R';
      await new Promise(() => undefined);
    }
    fake.answer('files.content', { body: silent(), headers: { 'content-type': 'audio/wav' } });
    (await client.files().content(undefined, 'f')).cancel();
    await fake.idle();
    expect(fake.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('closes the connection where it throws', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'half';
      throw new Error('enough');
    }
    fake.answer('files.content', { body: broken() });
    const reply = await client.files().content(undefined, 'f');
    await expect(reply.text()).rejects.toSatisfy(ofKind('connection', 'timeout'));
    await fake.idle();
  });
});

describe('a hosted file', () => {
  it('is served without a key at the URL that host returns, until reset', async () => {
    const url = fake.host('/stored/cat.png', { body: Uint8Array.of(1, 2, 3), headers: { 'content-type': 'image/png' } });
    expect(url).toBe(`${fake.url}/stored/cat.png`);
    const response = await fetch(`${url}?signature=x`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.of(1, 2, 3));
    expect(fake.requests).toMatchObject([{ operation: undefined, path: '/stored/cat.png', target: '/stored/cat.png?signature=x' }]);
    fake.reset();
    expect((await fetch(url)).status).toBe(404);
  });

  it('can be a fault or follow from the request', async () => {
    await expect(fetch(fake.host('/gone', faults.resetBeforeHeaders()))).rejects.toThrow('fetch failed');
    const url = fake.host('/echo', ({ method }) => ({ body: method, status: 403 }));
    const response = await fetch(url, { method: 'PUT' });
    expect([response.status, await response.text()]).toEqual([403, 'PUT']);
  });

  it('has a path, and is not a turn', () => {
    expect(() => fake.host('cat.png', { body: '' })).toThrow('host: path must begin with /, not "cat.png"');
    expect(() => fake.host('/cat.png', { turn: { text: 'x' } })).toThrow(
      'a turn answers chat.create or anthropic.create or responses.create, not files.content',
    );
  });
});

describe('the parts of a form', () => {
  const send = async (body: string, contentType = 'multipart/form-data; boundary=x'): Promise<unknown> => {
    await fetch(`${fake.url}/files`, { method: 'POST', headers: { authorization: `Bearer ${fakeKey}`, 'content-type': contentType }, body });
    return fake.requests.at(-1)?.parts.map(({ name, headers, bytes }) => [name, headers, Buffer.from(bytes).toString()]);
  };
  const one = '--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
  const two = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: a/b\r\n\r\n--\r\n-x\r\n';

  it('have name, headers and bytes as they came', async () => {
    const parts = [
      ['purpose', { 'content-disposition': 'form-data; name="purpose"' }, 'batch'],
      ['file', { 'content-disposition': 'form-data; name="file"; filename="a"', 'content-type': 'a/b' }, '--\r\n-x'],
    ];
    expect(await send(`${one}${two}--x--\r\n`)).toEqual(parts);
    expect(await send(`${one}${two}--x--\r\n`, 'Multipart/Form-Data;boundary="x"')).toEqual(parts);
  });

  it.each([
    ['does not begin with its boundary', `\r\n${one}--x--\r\n`],
    ['does not end with its boundary', `${one}--x\r\n`],
    ['has more after its end', `${one}--x--\r\nmore`],
    ['has a part without an end', `${one}--x\r\nA: b\r\n\r\n`],
    ['has a part without an end of its header', `${one}--x\r\nA: b\r\n--x--\r\n`],
  ])('are empty when the form %s', async (_what, body) => {
    expect(await send(body)).toEqual([]);
  });

  it('are empty for another body', async () => {
    expect(await send('{}', 'application/json')).toEqual([]);
  });
});
