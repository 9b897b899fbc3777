import { fakeKey, faults } from 'modelsvc/testing';
import { servicePaths, serviceRoots } from 'modelsvc/types';
import { describe, expect, it } from 'vitest';
import { ends, run, withFake } from '../support/in-process.ts';

const message = 'messages=[{"role":"user","content":"Hi"}]';
const chat = ['api', 'POST', '/chat/completions', '-F', 'model=glm-4.6', '-F', message];

describe('api', () => {
  it('sends fields as JSON, and prints the reply', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout, code } = await modelsvc([...chat, '-F', 'temperature=0.5', '-F', 'user_id=user-1234', '-H', 'x-trace: 7']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ choices: expect.any(Array) });
    expect(fake.requests[0]).toMatchObject({
      operation: 'chat.create',
      headers: { 'x-trace': '7', 'user-agent': expect.stringMatching(/^modelsvc-cli\/\d/) },
      body: { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hi' }], temperature: 0.5, user_id: 'user-1234' },
    });
  });

  it('sends a body from stdin, and the fields of a GET as query', async () => {
    const { fake, modelsvc } = await withFake();
    const body = { model: 'glm-4.6', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    expect(await modelsvc(['api', 'post', '/v1/messages', '-d', '@-'], { stdin: JSON.stringify(body) })).toMatchObject({ code: 0 });
    expect(await modelsvc(['api', 'GET', '/batches', '-F', 'limit=2', '--json'])).toMatchObject({ code: 0 });
    expect(fake.requests.map(({ operation }) => operation)).toEqual(['anthropic.create', 'batch.list']);
    expect(fake.requests[0]?.body).toEqual(body);
    expect(fake.requests[1]?.parameters).toMatchObject({ limit: '2' });
  });

  it('a failure prints the body of the reply, and has the exit code of other commands', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', faults.error(429, '1308', 'used up'));
    const { stdout, stderr, code } = await modelsvc(chat);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: '1308', message: 'used up' } });
    expect(stderr).toMatch(/^modelsvc: POST \/chat\/completions: used up/);
    expect(await modelsvc(['api', 'GET', '/nope'])).toMatchObject({ code: 4 });
    expect(await modelsvc(['api', 'GET', '/models'], { env: { SVC_API_KEY: 'another-key' } })).toMatchObject({ code: 3 });
  });

  const places = Object.entries(servicePaths).flatMap(([surface, paths]) =>
    paths.map((path) => [path.replace(/\{\w+\}/g, 'id-1'), surface] as const),
  );
  it.each(places)('%s goes to the root of %s', async (path, surface) => {
    const root = serviceRoots[surface as keyof typeof servicePaths].global;
    for (const [given, query] of [
      [path, ''],
      [new URL(root).pathname + path, ''],
      [`${path}?limit=1`, '?limit=1'],
    ] as const) {
      const { stdout } = await run(['api', 'GET', given, '--dry-run', '--json'], { env: { SVC_API_KEY: fakeKey } });
      expect((JSON.parse(stdout) as { url: string }).url).toBe(`${root}${path}${query}`);
    }
  });

  it('retries as other commands do', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('models.list', faults.error(503, '503', 'busy'));
    expect(await modelsvc(['api', 'GET', '/models'])).toMatchObject(ends(0, /^retrying in /));
    expect(fake.requests).toHaveLength(2);
  });

  it('a failure inside a reply with status 200 is exit code 1', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('quota.getLimit', { body: { code: 401, msg: 'expired', success: false } });
    expect(await modelsvc(['api', 'GET', '/usage/quota/limit'])).toMatchObject({ code: 1, stdout: expect.stringContaining('expired') });
  });

  it('--stream prints each event as it arrives', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', { turn: { text: ['a', 'b'] } });
    const { stdout, code } = await modelsvc([...chat, '--stream']);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { choices: { finish_reason?: string }[] });
    expect(events.length).toBeGreaterThan(2);
    expect(events.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(fake.requests[0]?.body).toMatchObject({ stream: true });
  });

  it('--stream prints an event while the next ones are not there yet', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', faults.silentAfterHeaders(2));
    let lines = 0;
    const { stdout, code } = await modelsvc([...chat, '--stream'], {
      onStart: (child) =>
        void child.stdout.on('data', (text: string) => {
          lines += text.split('\n').length - 1;
          if (lines === 2) child.kill('SIGINT');
        }),
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(code).toBe(130);
  });

  it('a stream without its end is exit code 7, and an error inside it 1', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', faults.truncatedStream('frame'), faults.inBandError('1302', 'too fast'));
    expect(await modelsvc([...chat, '--stream'])).toMatchObject(ends(7, 'ended before the end'));
    expect(await modelsvc([...chat, '--stream'])).toMatchObject({ code: 1, stdout: expect.stringContaining('too fast') });
  });

  it('passes bytes on', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('files.content', { body: new Uint8Array([1, 2, 3]) });
    expect((await modelsvc(['api', 'GET', '/files/file-1/content'])).stdout).toBe('\x01\x02\x03');
  });

  it.each([
    [['api', 'FETCH', '/models'], 'METHOD must be one of GET, POST, PUT, PATCH, DELETE, not "FETCH"'],
    [['api', 'GET', 'https://example.com/x'], 'PATH must be a path such as /chat/completions, not a URL'],
    [['api', 'POST', '/rerank', '-d', '{'], '--data is not JSON'],
    [['api', 'POST', '/rerank', '-F', 'a'], '--field must be NAME=VALUE, not "a"'],
    [['api', 'POST', '/rerank', '-F', 'a=1', '-d', '{}'], '--field and --data exclude each other'],
    [['api', 'GET', '/models', '--stream'], 'a GET request has no body, so it cannot have --stream'],
    ...['/../../coding/paas/v4/x', '/%2e%2e/%2E%2e/x', '/..\\..\\x', '/models#x', '/models\nHost: evil.example'].map((path): [string[], string] => [
      ['api', 'GET', path],
      'PATH must not contain',
    ]),
  ])('%j is refused', async (args, text) => {
    const { fake, modelsvc } = await withFake();
    expect(await modelsvc(args)).toMatchObject(ends(2, `modelsvc: ${text}`));
    expect(fake.requests).toEqual([]);
  });

  it('does not print a key that the server quotes', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('models.list', faults.error(401, '1000', `bad key ${fakeKey}`));
    const { stdout, stderr, code } = await modelsvc(['api', 'GET', '/models']);
    expect({ code, quoted: stdout.includes('bad key [key]') }).toEqual({ code: 3, quoted: true });
    expect(stdout + stderr).not.toContain(fakeKey);
  });

  it.each([
    ['x-a: é€', '--header x-a has a character that headers cannot have'],
    ['x-a: é', '--header x-a has a character that headers cannot have'],
    ['x-a: a\nb', '--header x-a has a character that headers cannot have'],
    ['x a: b', '--header: "x a" is not the name of a header'],
    ['é: b', '--header: "é" is not the name of a header'],
    [' : b', '--header: "" is not the name of a header'],
  ])('refuses the header %j in words of the option, before a request', async (header, problem) => {
    const { fake, modelsvc } = await withFake();
    for (const line of [
      ['GET', '/models'],
      ['POST', '/chat/completions', '-d', '{}'],
      ['POST', '/chat/completions', '-d', '{}', '--stream'],
    ])
      expect(await modelsvc(['api', ...line, '-H', header])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`modelsvc: ${problem}\n`) as string,
      });
    expect(fake.requests).toEqual([]);
  });

  it.each(['Authorization', 'Proxy-Authorization', 'X-API-Key', 'api-key', 'Cookie'])('refuses a credential in the header %s', async (name) => {
    const { fake, modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['api', 'GET', '/models', '-H', `${name}: Bearer other`]);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: 'modelsvc: --header contains a credential' });
    expect(stderr).not.toContain('other');
    expect(fake.requests).toHaveLength(0);
  });
});
