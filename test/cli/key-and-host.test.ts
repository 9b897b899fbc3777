import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { answeringServer } from '../support/answering-server.ts';
import { newHome, run, withFake } from './support/in-process.ts';

async function homeWithAccount(name: string): Promise<string> {
  const home = await newHome();
  await writeFile(join(home, 'key.txt'), `${fakeKey}\n`);
  const { code } = await run(['accounts', 'add', name, '--api-key-file', 'key.txt', '--no-validate'], { env: { HOME: home }, cwd: home });
  expect(code).toBe(0);
  return home;
}

describe('a stored key', () => {
  it.each([
    ['embeddings', 'create', 'x'],
    ['moderate', 'x'],
    ['api', 'POST', '/embeddings', '-F', 'model=embedding-3', '-F', 'input=x'],
  ])('of the global host is not sent to the china host: %s', async (...args) => {
    const home = await homeWithAccount('work');
    const { stdout, stderr, code } = await run([...args, '-n'], { env: { HOME: home } });
    expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
    expect(stderr).toContain('account work is bound to https://api.z.ai; its key is not sent to https://open.bigmodel.cn');
  });

  it('reaches the coding-plan endpoint by --plan-endpoint only', async () => {
    const home = await homeWithAccount('work');
    const { stderr, code } = await run(['chat', 'hi', '-n', '--base-url', 'https://api.z.ai/api/coding/paas/v4'], { env: { HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toContain('is the coding-plan endpoint');
  });

  it('may have the name of a group', async () => {
    const home = await homeWithAccount('files');
    const { stdout, code } = await run(['-a', 'files', 'models', 'list', '-n'], { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stdout).toContain('/models');
  });
});

describe('api', () => {
  it.each(['/../../coding/paas/v4/x', '/%2e%2e/%2E%2e/x', '/..\\..\\x', '/models#x', '/models\nHost: evil.example'])(
    'refuses the path %j before any request',
    async (path) => {
      const { fake, modelsvc } = await withFake();
      const { stderr, code } = await modelsvc(['api', 'GET', path]);
      expect(code).toBe(2);
      expect(stderr).toContain('PATH must not contain');
      expect(fake.requests).toEqual([]);
    },
  );

  it('does not print a key that the server quotes', async () => {
    const server = await answeringServer(() => ({ status: 401, body: { error: { code: '1000', message: `bad key ${fakeKey}` } } }));
    const { stdout, stderr, code } = await run(['api', 'GET', '/models', '--base-url', server.url], { env: { SVC_API_KEY: fakeKey } });
    expect(code).toBe(3);
    expect(stdout).toContain('bad key [key]');
    expect(stdout + stderr).not.toContain(fakeKey);
  });
});
