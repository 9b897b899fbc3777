import { spawn, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, newHome, run, withFake } from '../support/in-process.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Runs a command in a shell, as a user pastes it. Not spawnSync: the fake runs in this process. */
async function inShell(command: string): Promise<void> {
  const script = join(await newHome(), 'command.sh');
  await writeFile(script, command);
  const child = spawn('sh', ['-e', script], { env: { PATH: process.env['PATH'] ?? '', SVC_API_KEY: fakeKey }, stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
}

describe('--dry-run', () => {
  it('prints the request with the key masked, and sends none', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout, stderr, code } = await modelsvc(['rerank', 'q', "it's", '--dry-run']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(new RegExp(`^POST ${fake.url}/rerank\n`));
    expect(stdout).toMatch(/^authorization: Bearer \*\*\*$/m);
    expect(stdout).not.toContain(fakeKey);
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ model: 'rerank', query: 'q', documents: ["it's"] });
    expect(fake.requests).toHaveLength(0);
  });

  it('as JSON is an object', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout } = await modelsvc(['models', 'list', '-n', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'GET', url: `${fake.url}/models`, headers: { authorization: 'Bearer ***' } });
    expect(fake.requests).toHaveLength(0);
  });

  it('needs no account, and uses the hosts of the service', async () => {
    const { stdout, code } = await run(['models', 'list', '-n', '--region', 'china']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GET https:\/\/open\.bigmodel\.cn\/api\/paas\/v4\/models$/m);
    expect((await run(['embeddings', 'create', 'a', '-n'])).stdout).toMatch(/^POST https:\/\/open\.bigmodel\.cn\/api\/paas\/v4\/embeddings$/m);
  });

  it('of a command that polls, or sends two requests, prints the first only', async () => {
    const watched = await run(['quota', '--watch', '-n']);
    expect(watched.code).toBe(0);
    expect(watched.stdout.match(/^GET /gm)).toHaveLength(1);
    const two = await run(['usage', '-n']);
    expect({ code: two.code, stderr: two.stderr }).toEqual({ code: 0, stderr: '' });
    expect(two.stdout.match(/^GET /gm)).toHaveLength(1);
  });

  it('takes no word after it as its value', async () => {
    const { stdout, code } = await run(['rerank', '-n', 'query', 'document']);
    expect(code).toBe(0);
    expect(stdout).toContain('"query": "query"');
    expect(await run(['moderate', '--dry-run=wget', 'text'])).toMatchObject(ends(2, '--dry-run must be curl'));
    expect((await run(['moderate', '-n', '--', '-n'])).stdout).toContain('"input": "-n"');
  });

  it('works for a streamed chat', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout, code } = await modelsvc(['chat', '-n', 'Hello', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: `${fake.url}/chat/completions`,
      body: { messages: [{ role: 'user', content: 'Hello' }] },
    });
    const message = await modelsvc(['messages', 'Hello', '--dry-run=curl']);
    expect(message.stdout).toContain(`'${fake.url}/v1/messages'`);
    expect(fake.requests).toHaveLength(0);
  });

  it('of a command for this machine is refused, so that it changes no file', async () => {
    const { stderr, code } = await run(['accounts', 'remove', 'work', '-n']);
    expect({ first: stderr.split('\n')[0], code }).toEqual({ first: 'modelsvc: accounts sends no request that --dry-run could print', code: 2 });
  });

  it('with an account that does not exist fails as without it', async () => {
    expect((await run(['models', 'list', '-n', '--account', 'nope'])).code).not.toBe(0);
  });

  it('refuses wrong input as without it', async () => {
    expect(await run(['models', 'get', '', '-n'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['rerank', 'q', 'd', '-n', '--top-n', '-1'])).toMatchObject({ code: 2, stdout: '' });
  });

  it.runIf(hasCurl)('=curl prints a command that sends the same request', async () => {
    const { fake, modelsvc } = await withFake();
    const text = `messages=[{"role":"user","content":"it's $HOME \\"x\\" \\n 你好"}]`;
    const args = [...'api POST /v1/messages -F model=glm-4.6 -F max_tokens=5 -F'.split(' '), text];
    const { stdout } = await modelsvc([...args, '--dry-run=curl']);
    expect(stdout).toContain('-H "authorization: Bearer $SVC_API_KEY"');
    expect(stdout).not.toContain(fakeKey);
    await modelsvc(args);
    await inShell(stdout);
    const [sent, pasted] = fake.requests;
    expect(fake.requests).toHaveLength(2);
    expect(pasted).toMatchObject({ method: 'POST', target: sent?.target, body: sent?.body });
    for (const name of ['authorization', 'content-type', 'user-agent', 'anthropic-version', 'accept'])
      expect([name, pasted?.headers[name]]).toEqual([name, sent?.headers[name]]);
  });

  it.runIf(hasCurl)('=curl passes a long body to the standard input of curl', async () => {
    const { fake, modelsvc } = await withFake();
    const text = `${'很长'.repeat(30_000)}'`;
    const { stdout } = await modelsvc(['moderate', '-', '--dry-run=curl'], { stdin: text });
    await inShell(stdout);
    expect(fake.requests[0]?.body).toEqual({ model: 'moderation', input: text });
  });
});

describe('--dry-run of an upload', () => {
  it('lists the fields of the form with the sizes of files, and as curl uploads the file', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = join(await newHome(), "a folder; it's");
    await mkdir(cwd);
    await writeFile(join(cwd, 'batch.jsonl'), '{"custom_id":"1"}\n');
    const upload = ['files', 'upload', join(cwd, 'batch.jsonl'), '--purpose=batch'];
    const { stdout } = await modelsvc([...upload, '--dry-run', '--json'], { cwd });
    const { form, headers, body } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ form, body }).toEqual({
      form: [
        { name: 'file', filename: 'batch.jsonl', type: 'application/octet-stream', size: 18 },
        { name: 'purpose', value: 'batch' },
      ],
    });
    expect(headers).toMatchObject({ 'content-type': 'multipart/form-data' });
    if (!hasCurl) return;
    await inShell((await modelsvc([...upload, '--dry-run=curl'], { cwd })).stdout);
    expect(fake.requests).toMatchObject([{ operation: 'files.upload', body: { purpose: 'batch', file: { name: 'batch.jsonl' } } }]);
  });
});
