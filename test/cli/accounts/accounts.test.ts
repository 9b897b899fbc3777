import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, fails } from '../support/in-process.ts';
import { newUser } from './support/shell.ts';
import { key } from './support/store.ts';

const mask = 'fake…cret';

describe('accounts add', () => {
  it('checks a key from stdin, detects its kind, stores it, and makes the first account the active one', async () => {
    const { sh, add, fake, folder } = await newUser();
    const added = await add('work', '--note', 'mine');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toBe(
      `Stored account work (plan, global, ${fake.url}, ${mask}) in ${join(folder, 'credentials.json')}.\nIt is the active account.\n`,
    );
    expect(fake.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(['GET /models', 'GET /usage/quota/limit']);
    const { stdout } = await sh(['accounts', 'show', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      name: 'work',
      active: true,
      region: 'global',
      kind: 'plan',
      base_url: fake.url,
      key: mask,
      key_fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{8}$/),
      store: 'file',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      note: 'mine',
      hosts: [fake.url],
    });
    const listed = await sh(['models', 'list', '--json']);
    expect(listed.code).toBe(0);
  });

  it('detects a key without a plan', async () => {
    const { add, fake } = await newUser();
    fake.answer('quota.getLimit', { body: { code: 200, success: true, data: {} } });
    expect((await add('work')).stdout).toContain('(payg, global');
  });

  it('takes the key from --api-key-file, and the region of a key without a check', async () => {
    const { sh, home } = await newUser();
    const file = join(home, 'key.txt');
    await writeFile(file, `${key}\r\nsecond line\n`);
    const { stdout } = await sh(['accounts', 'add', 'cn', '--region', 'china', '--kind', 'team', '--no-validate', '--api-key-file', file, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ region: 'china', kind: 'team', key: 'abcd…10zz', hosts: ['https://open.bigmodel.cn'] });
    expect((await sh(['accounts', 'token', 'cn'])).stdout).toBe(`${key}\n`);
  });

  it('stores no key that the service refuses: exit code 3', async () => {
    const { sh, fake } = await newUser();
    const refused = await sh(['accounts', 'add', 'work', '--base-url', fake.url], { stdin: key });
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toBe(
      `The key was not stored. --no-validate stores it without a check.\nmodelsvc: ${new URL(fake.url).host} refuses the key\n` +
        'Check the key for missing characters. A key of the other region needs --region china.\n',
    );
    expect((await sh(['accounts', 'list', '--json'])).stdout).toBe('[]\n');
  });

  it.each([
    [['a b'], key, 2, 'an account name has 1 to 64 letters, digits, dots, hyphens and underscores, not "a b"'],
    [['new'], '', 3, 'stdin contains no API key'],
    [['new'], 'two words', 3, 'the first line of stdin is not an API key'],
    [['work'], key, 2, 'account work exists'],
    [['new', '--base-url', 'http://gateway.example/v1'], key, 2, '--base-url must begin with https://'],
    [['new', '--base-url', 'https://me:secret@gateway.example'], key, 2, '--base-url must be a URL such as'],
    [['new', '--api-key-file', '/'], key, 2, '--api-key-file: / is a directory'],
    [['new', '--api-key-file', '/nowhere'], key, 2, '--api-key-file: /nowhere does not exist'],
    [['new', '--kind', 'gold'], key, 2, '--kind must be plan, payg or team, not "gold"'],
  ])('%j is refused and changes no account', async (args, stdin, code, text) => {
    const { sh, add } = await newUser();
    await add('work');
    const refused = await sh(['accounts', 'add', ...args, '--no-validate'], { stdin });
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(`modelsvc: ${text}`);
    expect(JSON.parse((await sh(['accounts', 'list', '--json'])).stdout)).toHaveLength(1);
  });

  it('replaces a key only with --replace', async () => {
    const { sh, add } = await newUser();
    await add('work', '--note', 'mine');
    expect((await sh(['accounts', 'add', 'work', '--replace', '--no-validate'], { stdin: key })).code).toBe(0);
    const { stdout } = await sh(['accounts', 'show', 'work', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ key: 'abcd…10zz', hosts: ['https://api.z.ai'], base_url: null, note: 'mine' });
  });
});

describe('accounts', () => {
  it('list, use, current, rename and remove', async () => {
    const { sh, add } = await newUser();
    expect(await sh(['accounts', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'No accounts. Run `modelsvc accounts add NAME`.\n' });
    expect(await sh(['accounts', 'current'])).toMatchObject({ code: 3, stdout: '' });
    await add('work');
    await add('home', '--no-validate');
    expect((await sh(['accounts', 'current'])).stdout).toBe('work\n');
    expect((await sh(['accounts', 'use', 'home'])).stdout).toBe('Active account: home\n');
    expect(JSON.parse((await sh(['accounts', 'current', '--json'])).stdout)).toEqual({ account: 'home', from: 'active' });
    expect((await sh(['accounts', 'list'])).stdout).toMatch(/^\*\thome\tunknown\tglobal\tfake…cret\tfile\thttp.*\t\n\twork\tplan\tglobal\t/);
    await add('third', '--no-validate');
    expect((await sh(['accounts', 'rename', 'home', 'flat'])).stdout).toBe('Renamed account home to flat.\n');
    expect((await sh(['accounts', 'rename', 'flat', 'work'])).code).toBe(2);
    expect((await sh(['accounts', 'current'])).stdout).toBe('flat\n');
    const unsure = await sh(['accounts', 'remove', 'flat']);
    expect(unsure).toMatchObject({ code: 2, stderr: `modelsvc: Remove account flat and its key ${mask}?\nConfirm with --yes.\n` });
    expect((await sh(['accounts', 'rm', 'flat', '--yes'])).stdout).toBe('Removed account flat and its key.\nNo account is active now.\n');
    const unknown = await sh(['accounts', 'use', 'wor']);
    expect(unknown).toMatchObject({ code: 4, stderr: 'modelsvc: no account "wor"; did you mean work?\nRun `modelsvc accounts list`.\n' });
    expect(await sh(['chat', 'hi', '-a', import.meta.filename])).toMatchObject({
      code: 4,
      stderr: `modelsvc: no account "${import.meta.filename}"\n-a is the account; -f adds a file to a question.\n`,
    });
    expect(await sh(['models', 'list'])).toMatchObject({
      code: 3,
      stderr: 'modelsvc: no API key: no account is active\nRun `modelsvc accounts use NAME`, or pass --account NAME.\n',
    });
    expect((await sh(['accounts', 'use', 'third'])).code).toBe(0);
    expect((await sh(['accounts', 'rm', 'third', '--yes'])).stdout).toBe('Removed account third and its key.\nActive account: work\n');
  });

  it('validate prints the kind, stores a missing one, and ends with 3 for a refused key', async () => {
    const { sh, add, fake } = await newUser();
    await add('work', '--no-validate');
    const valid = await sh(['accounts', 'validate', '--json']);
    expect(JSON.parse(valid.stdout)).toEqual({
      valid: true,
      account: 'work',
      from: 'account work',
      host: new URL(fake.url).host,
      kind: 'plan',
      key: mask,
    });
    expect(JSON.parse((await sh(['accounts', 'show', '--json'])).stdout)).toMatchObject({ kind: 'plan' });
    await sh(['accounts', 'add', 'bad', '--base-url', fake.url, '--no-validate'], { stdin: key });
    expect(await sh(['accounts', 'validate', 'bad'])).toMatchObject({ code: 3, stdout: '' });
  });

  it('export masks keys; --reveal writes them to a private file that import reads', async () => {
    const { sh, add, home, fake } = await newUser();
    await add('work', '--note', 'mine');
    await sh(['accounts', 'allow-host', 'work', 'https://gateway.example/v1']);
    const masked = await sh(['accounts', 'export']);
    expect(JSON.parse(masked.stdout)).toMatchObject({ version: 1, accounts: { work: { keyMask: mask } } });
    expect(masked.stdout).not.toContain(fakeKey);
    expect(await sh(['accounts', 'export', '--reveal'])).toMatchObject({ code: 2, stdout: '' });
    const file = join(home, 'export.json');
    expect((await sh(['accounts', 'export', '--reveal', '-O', file])).stderr).toBe(`Wrote 1 account to ${file}, with complete keys.\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await sh(['accounts', 'export', '--reveal', '-O', file])).toMatchObject(ends(2, `${file} exists`));
    const other = await newUser();
    expect((await other.sh(['accounts', 'import', file])).stdout).toBe(`work\tglobal\t${mask}\n`);
    const shown = JSON.parse((await other.sh(['accounts', 'show', 'work', '--json'])).stdout);
    expect(shown).toMatchObject({ kind: 'plan', note: 'mine', base_url: fake.url, hosts: [fake.url, 'https://gateway.example'] });
    expect((await other.sh(['accounts', 'import', file])).stderr).toBe(`The key ${mask} is stored already, as account work.\n`);
    expect((await other.sh(['accounts', 'export', '--reveal', '--yes'])).stdout).toContain(fakeKey);
  });

  it('import reads variables and the file of the coding helper', async () => {
    const { sh, home } = await newUser();
    expect(await sh(['accounts', 'import', '--from', 'env'])).toMatchObject({ code: 4, stdout: '' });
    const env = { ZAI_API_KEY: key, Z_AI_API_KEY: key, ZHIPUAI_API_KEY: 'another-key-0123456789' };
    const { stdout } = await sh(['accounts', 'import', '--from', 'env', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual([
      { name: 'zai', region: 'global', kind: null, key: 'abcd…10zz', store: 'file' },
      { name: 'zhipuai', region: 'china', kind: null, key: 'anot…6789', store: 'file' },
    ]);
    await mkdir(join(home, '.chelper'));
    await writeFile(join(home, '.chelper', 'config.yaml'), 'lang: en_US\nplan: glm_coding_plan_china\napi_key: plan-key-0123456789\n');
    expect((await sh(['accounts', 'import', '--from', 'chelper'])).code).toBe(0);
    expect(JSON.parse((await sh(['accounts', 'show', 'chelper', '--json'])).stdout)).toMatchObject({
      kind: 'plan',
      region: 'china',
      hosts: ['https://open.bigmodel.cn'],
    });
  });

  it.each([
    ['{"accounts":{"a":{"region":"global","apiKey":"k', 'cannot be parsed'],
    ['{"accounts":{"a":{"region":"global","keyMask":"…"}}}', 'account a has no key'],
    ['{"accounts":{"a b":{"region":"global","apiKey":"k"}}}', 'account "a b" is not valid'],
    ['{"accounts":{"a":{"region":"global","apiKey":"k","hosts":["http://evil.example"]}}}', 'hosts of a must begin with https://'],
    ['[]', 'contains no object'],
  ])('import of %s is refused, and stores no account', async (text, problem) => {
    const { sh, home } = await newUser();
    await writeFile(join(home, 'export.json'), text);
    const refused = await sh(['accounts', 'import', join(home, 'export.json')]);
    expect(refused).toMatchObject(fails(2, problem));
    expect((await sh(['accounts', 'list', '--json'])).stdout).toBe('[]\n');
  });
});

describe('the key', () => {
  it('is in no output of any command but token and export --reveal', async () => {
    const { sh, add, fake, home, printed } = await newUser();
    const lines = [
      ['show'],
      ['show', 'work', '--json'],
      ['list'],
      ['list', '--json'],
      ['list', '-o', 'yaml'],
      ['list', '-o', 'table'],
      ['use', 'work', '--json'],
      ['current', '--json'],
      ['validate'],
      ['validate', '--json'],
      ['validate', '--debug'],
      ['export'],
      ['export', '--json'],
      ['export', '--reveal', '-O', join(home, 'x.json')],
      ['import', join(home, 'x.json')],
      ['import', '--from', 'env'],
      ['allow-host', 'work', 'https://a.example', '--json'],
      ['rename', 'work', 'w', '--json'],
      ['add', 'w'],
      ['remove', 'w'],
      ['remove', 'w', '--yes', '--json'],
    ];
    await add('work', '--json');
    for (const args of lines) await sh(['accounts', ...args], { env: { ZAI_API_KEY: fakeKey }, stdin: fakeKey });
    for (const more of [[], ['--json'], ['--debug']]) await sh(['doctor', '--base-url', fake.url, ...more], { env: { SVC_API_KEY: fakeKey } });
    expect(printed()).toContain(mask);
    expect(printed()).not.toContain(fakeKey);
    expect(printed()).not.toContain('fake-secret');
  });
});
