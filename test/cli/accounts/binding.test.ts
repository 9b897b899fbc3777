import { cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type FakeService, fakeKey, startFakeService } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ends, fails, newHome } from '../support/in-process.ts';
import { newUser, type User } from './support/shell.ts';
import { account, storeIn } from './support/store.ts';

/** A server that takes any key. No test may reach it with a stored one. */
async function evilServer(): Promise<FakeService> {
  const evil = await startFakeService({ keys: 'any' });
  onTestFinished(() => evil.close());
  return evil;
}

/** A cloned repository whose files point everything at another server. */
async function trap({ home, folder }: User, url: string): Promise<string> {
  const cwd = join(home, 'project');
  await mkdir(join(cwd, 'modelsvc'), { recursive: true, mode: 0o700 });
  await mkdir(join(cwd, '.config', 'modelsvc'), { recursive: true, mode: 0o700 });
  await mkdir(join(cwd, 'node_modules', '@napi-rs', 'keyring'), { recursive: true });
  const variables = { SVC_BASE_URL: url, SVC_API_BASE_URL: url, SVC_REGION: 'china', SVC_API_KEY: 'key-of-the-trap-0123456789', SVC_ACCOUNT: 'trap' };
  const env = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  for (const name of ['.env', '.env.local', '.envrc', '.npmrc']) await writeFile(join(cwd, name), env.join(''));
  const settings = JSON.stringify({
    baseUrl: url,
    base_url: url,
    account: 'trap',
    region: 'china',
    apiKey: variables.SVC_API_KEY,
    modelsvc: { baseUrl: url },
  });
  for (const name of ['.modelsvc.json', 'modelsvc.json', '.svc.json', '.zai.json', '.modelsvcrc', 'package.json'])
    await writeFile(join(cwd, name), settings);
  await writeFile(
    join(cwd, 'node_modules', '@napi-rs', 'keyring', 'index.js'),
    `require('node:http').get(${JSON.stringify(url)}); exports.Entry = class {};`,
  );
  // A store whose account points elsewhere, with the user's own keys at a link.
  for (const place of [join(cwd, 'modelsvc'), join(cwd, '.config', 'modelsvc')]) {
    const store = storeIn(place);
    await store.put([account('work', { baseUrl: url })]);
    await rename(store.credentialsFile, join(place, 'own.json'));
    await symlink(relative(place, join(folder, 'credentials.json')), store.credentialsFile);
  }
  return cwd;
}

describe('a stored key', () => {
  it('goes to its host, whatever files the working directory has', async () => {
    const user = await newUser();
    const evil = await evilServer();
    await user.add('work');
    const cwd = await trap(user, evil.url);
    for (const args of [['models', 'list'], ['accounts', 'validate'], ['accounts', 'validate', 'work'], ['doctor'], ['accounts', 'current']]) {
      const { code, stderr } = await user.sh(args, { cwd });
      expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
    }
    expect((await user.sh(['accounts', 'token'], { cwd })).stdout).toBe(`${fakeKey}\n`);
    expect((await user.sh(['accounts', 'add', 'chain', '--store', 'keychain', '--no-validate'], { cwd, stdin: fakeKey })).stderr).toContain(
      'is not installed',
    );
    expect(evil.requests).toEqual([]);
    const used = new Set(user.fake.requests.map(({ headers }) => headers['authorization']));
    expect([...used]).toEqual([`Bearer ${fakeKey}`]);
  });

  it.each([
    ['SVC_BASE_URL'],
    ['SVC_API_BASE_URL'],
    ['SVC_ENDPOINTS'],
    ['ZAI_BASE_URL'],
    ['OPENAI_BASE_URL'],
    ['ANTHROPIC_BASE_URL'],
    ['HTTP_PROXY'],
    ['http_proxy'],
    ['ALL_PROXY'],
  ])('is not sent to the URL in %s', async (name) => {
    const user = await newUser();
    const evil = await evilServer();
    await user.add('work');
    const { code, stderr } = await user.sh(['models', 'list'], { env: { [name]: evil.url } });
    if (name === 'SVC_API_BASE_URL')
      expect(stderr).toBe('SVC_API_BASE_URL has no effect on a stored key: account work keeps its host. Pass --base-url to choose another.\n');
    expect(evil.requests).toEqual([]);
    expect(code).toBe(0);
  });

  it.each([
    ['SVC_REGION', 'china'],
    ['XDG_CONFIG_HOME', '.config'],
    ['XDG_CONFIG_HOME', '.'],
    ['APPDATA', '.'],
  ])('stays the same with %s=%s', async (name, value) => {
    const user = await newUser();
    const evil = await evilServer();
    // The store is below ~/.config, which XDG_CONFIG_HOME would replace.
    await user.add('work');
    const cwd = await trap(user, evil.url);
    expect((await user.sh(['models', 'list'], { cwd, env: { [name]: value } })).code).toBe(0);
    expect(evil.requests).toEqual([]);
  });

  it.each(['', '.', 'home'])('is read from no store of the working directory with HOME=%s', async (home) => {
    const user = await newUser();
    await user.add('planted');
    const cwd = await newHome();
    await cp(user.home, join(cwd, home), { recursive: true });
    const { stdout } = await user.sh(['accounts', 'list', '--json'], { cwd, env: { HOME: home, XDG_CONFIG_HOME: '' } });
    expect(stdout).not.toContain('planted');
  });

  it('is not sent elsewhere by a store of another folder that links to it', async () => {
    const user = await newUser();
    const evil = await evilServer();
    await user.add('work');
    const cwd = await trap(user, evil.url);
    const place = join(cwd, 'modelsvc');
    // The worst case: the attacker has even guessed the id of the key.
    const { keyId } = await storeIn(user.folder).account('work');
    const accounts = {
      version: 1,
      active: 'work',
      accounts: { work: { ...(await storeIn(user.folder).account('work')), keyId, baseUrl: evil.url } },
    };
    await writeFile(join(place, 'accounts.json'), JSON.stringify(accounts), { mode: 0o600 });
    expect(await user.sh(['models', 'list'], { cwd, env: { SVC_CONFIG_DIR: place } })).toMatchObject(
      ends(3, `account work is bound to ${user.fake.url}; its key is not sent to ${evil.url}\n`),
    );
    expect((await user.sh(['models', 'list'], { cwd, env: { SVC_CONFIG_DIR: './modelsvc' } })).stderr).toContain(
      'SVC_CONFIG_DIR must be an absolute path',
    );
    expect(evil.requests).toEqual([]);
  });

  it('needs allow-host once for --base-url and --region, on this machine too', async () => {
    const user = await newUser();
    const other = await evilServer();
    await user.add('work');
    const elsewhere = ['models', 'list', '--base-url', other.url];
    expect(await user.sh(elsewhere)).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        `modelsvc: account work is bound to ${user.fake.url}; its key is not sent to ${other.url}\n` +
        `Allow it once with \`modelsvc accounts allow-host work ${other.url}\`, or pass another key: SVC_API_KEY or --api-key-file.\n`,
    });
    expect(other.requests).toEqual([]);
    await user.sh(['accounts', 'allow-host', 'work', `${other.url}/some/path`]);
    expect((await user.sh(elsewhere)).code).toBe(0);
    await user.sh(['accounts', 'allow-host', 'work', other.url, '--remove']);
    expect((await user.sh(elsewhere)).code).toBe(3);
  });

  // Some operations are on the china host alone.
  it.each(['models list --region china', 'embeddings create x', 'moderate x', 'api POST /embeddings -F model=embedding-3 -F input=x'])(
    'of the global host is not sent to the china host: %s',
    async (line) => {
      const user = await newUser();
      // It has the name of a group.
      await user.sh(['accounts', 'add', 'files', '--no-validate'], { stdin: fakeKey });
      expect(await user.sh(['-a', 'files', ...line.split(' '), '-n'])).toMatchObject(
        fails(3, 'account files is bound to https://api.z.ai; its key is not sent to https://open.bigmodel.cn'),
      );
    },
  );

  it('reaches the coding-plan endpoint by --plan-endpoint only', async () => {
    const user = await newUser();
    await user.sh(['accounts', 'add', 'work', '--no-validate'], { stdin: fakeKey });
    expect(await user.sh(['chat', 'hi', '-n', '--base-url', 'https://api.z.ai/api/coding/paas/v4'])).toMatchObject(
      ends(2, 'is the coding-plan endpoint'),
    );
  });

  it('is not sent without encryption to another machine', async () => {
    const user = await newUser();
    await user.add('work');
    const refused = await user.sh(['accounts', 'allow-host', 'work', 'http://gateway.example']);
    expect(refused).toMatchObject(ends(2, 'URL must begin with https://'));
    expect((await user.sh(['models', 'list', '--base-url', 'http://gateway.example'])).code).toBe(2);
  });
});

describe('the key of a call', () => {
  it('comes from the first source that is set', async () => {
    const user = await newUser({ keys: 'any' });
    const { sh, fake, home } = user;
    for (const name of ['active', 'variable', 'flag'])
      await sh(['accounts', 'add', name, '--base-url', fake.url, '--no-validate'], { stdin: `${name}-0123456789` });
    await writeFile(join(home, 'key'), 'file-0123456789');
    const sources: readonly (readonly [string, readonly string[], Record<string, string>, string?])[] = [
      ['active', [], {}],
      ['variable', [], { SVC_ACCOUNT: 'variable' }],
      ['environment', [], { SVC_ACCOUNT: 'variable', SVC_API_KEY: 'environment-0123456789' }],
      ['flag', ['--account', 'flag'], { SVC_ACCOUNT: 'variable', SVC_API_KEY: 'environment-0123456789' }],
      ['file', ['--account', 'flag', '--api-key-file', join(home, 'key')], { SVC_API_KEY: 'environment-0123456789' }],
      ['stdin', ['--account', 'flag', '--api-key-stdin'], { SVC_API_KEY: 'environment-0123456789' }, 'stdin-0123456789\n'],
    ];
    for (const [source, args, env, stdin = ''] of sources) {
      expect((await sh(['models', 'list', '--base-url', fake.url, ...args], { env, stdin })).code, source).toBe(0);
      expect(fake.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${source}-0123456789`);
    }
    expect(await sh(['models', 'list', '--account', 'nope'])).toMatchObject({ code: 4 });
    expect(await sh(['models', 'list', '--api-key-stdin', '--api-key-file', join(home, 'key')])).toMatchObject({ code: 2 });
  });
});
