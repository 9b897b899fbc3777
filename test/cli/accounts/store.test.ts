import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeFolder } from '../../../src/cli/accounts/folder.ts';
import { account, key, newStore, storeIn, writerProgram } from './support/store.ts';

describe('folder of the store', () => {
  it.each([
    [{ SVC_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' }, 'linux', '/own'],
    [{ XDG_CONFIG_HOME: '/xdg' }, 'linux', '/xdg/modelsvc'],
    [{ XDG_CONFIG_HOME: '/xdg', APPDATA: '/roaming' }, 'win32', '/xdg/modelsvc'],
    [{ APPDATA: '/roaming' }, 'win32', '/roaming/modelsvc'],
  ] as const)('%j on %s is %s', (env, platform, folder) => {
    expect(storeFolder(env, platform)).toBe(folder);
  });

  it('is never relative to the working directory', () => {
    expect(storeFolder({ XDG_CONFIG_HOME: 'config', APPDATA: 'roaming' }, 'win32')).toMatch(/^\/.*\/\.config\/modelsvc$/);
    expect(() => storeFolder({ SVC_CONFIG_DIR: './config' })).toThrow('SVC_CONFIG_DIR must be an absolute path, not "./config"');
  });
});

describe('files of the store', () => {
  it('keep the key out of accounts.json', async () => {
    const store = await newStore();
    await store.put([account('work', { note: 'mine' })]);
    const text = await readFile(store.accountsFile, 'utf8');
    expect(text).not.toContain(key);
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      active: 'work',
      accounts: {
        work: {
          region: 'global',
          kind: 'payg',
          store: 'file',
          keyMask: 'abcd…10zz',
          keyFingerprint: expect.stringMatching(/^sha256:[0-9a-f]{8}$/),
          note: 'mine',
        },
      },
    });
    expect((await store.secret('work')).apiKey).toBe(key);
  });

  it('keep fields that this version does not have', async () => {
    const store = await newStore();
    await store.put([account('work'), account('home')]);
    for (const file of [store.accountsFile, store.credentialsFile]) {
      const value = JSON.parse(await readFile(file, 'utf8'));
      const field = value.accounts ?? value.keys;
      for (const id of Object.keys(field)) field[id].later = { a: [1] };
      await writeFile(file, JSON.stringify({ ...value, theme: 'dark' }));
    }
    await store.rename('work', 'office');
    await store.use('home');
    await store.setHosts('office', (hosts) => [...hosts, 'https://other.example']);
    await store.put([account('home')], { isReplacing: true });
    const accounts = JSON.parse(await readFile(store.accountsFile, 'utf8'));
    expect(accounts).toMatchObject({ theme: 'dark', active: 'home', accounts: { office: { later: { a: [1] } }, home: { later: { a: [1] } } } });
    const keys = JSON.parse(await readFile(store.credentialsFile, 'utf8'));
    expect(keys).toMatchObject({
      theme: 'dark',
      keys: { [accounts.accounts.office.keyId]: { later: { a: [1] }, hosts: ['https://api.z.ai', 'https://other.example'] } },
    });
  });
});

describe('a broken store', () => {
  const accounts = (entry: unknown): string => JSON.stringify({ version: 1, accounts: { work: entry } });
  const whole = { region: 'global', store: 'file', keyId: 'k', keyMask: '…', keyFingerprint: 'sha256:', createdAt: '' };
  it.each([
    ['accounts.json', '', 'is empty'],
    ['accounts.json', '{"version":1,"acc', 'is not a JSON object'],
    ['accounts.json', '[]', 'is not a JSON object'],
    ['accounts.json', '{}', 'has no valid version'],
    ['accounts.json', '{"version":1}', 'has no valid accounts'],
    ['accounts.json', '{"version":1,"accounts":[]}', 'has no valid accounts'],
    ['accounts.json', '{"version":1,"accounts":{},"active":5}', 'has no valid active'],
    ['accounts.json', accounts(null), 'has no valid accounts.work'],
    ['accounts.json', accounts({ ...whole, region: 'mars' }), 'has no valid accounts.work.region'],
    ['accounts.json', accounts({ ...whole, store: 'cloud' }), 'has no valid accounts.work.store'],
    ['accounts.json', accounts({ ...whole, kind: 'gold' }), 'has no valid accounts.work.kind'],
    ['accounts.json', accounts({ ...whole, keyId: 1 }), 'has no valid accounts.work.keyId'],
    ['accounts.json', JSON.stringify({ version: 1, accounts: { 'a b': whole } }), 'has no valid accounts.a b'],
    ['credentials.json', `{"version":1,"keys":{"k":{"apiKey":"${key}",`, 'is not a JSON object'],
    ['credentials.json', '{"version":1,"keys":{"k":{}}}', 'has no valid keys.k.apiKey'],
    ['credentials.json', '{"version":1,"keys":{"k":{"apiKey":"x","account":"work"}}}', 'has no valid keys.k.hosts'],
  ])('%s with %s is named and not overwritten', async (name, text, problem) => {
    const store = await newStore();
    await store.put([account('work')]);
    const file = join(store.folder, name);
    await writeFile(file, text);
    const changes = [
      () => store.put([account('home')]),
      () => store.put([account('work')], { isReplacing: true }),
      () => store.use('work'),
      () => store.rename('work', 'home'),
      () => store.remove('work'),
    ];
    for (const change of changes) {
      const error = await change().catch((reason: Error) => reason);
      expect(String(error)).toContain(`${file} is broken: it `);
      expect(String(error)).toContain(problem);
      expect(JSON.stringify(error) + String(error)).not.toContain(key);
    }
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

describe('a full disk', () => {
  // A limit on the size of files fails in the middle of a write, as a full disk does.
  it('leaves the accounts as they were, and no temporary file', async () => {
    const program = await writerProgram();
    const store = await newStore();
    await store.put([account('work', { note: 'x'.repeat(2000) })]);
    const before = [await readFile(store.accountsFile, 'utf8'), await readFile(store.credentialsFile, 'utf8')];
    const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, program, store.folder, 'add', 'b', '20'], {
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('cannot write the store: no space for');
    const names = [...(await store.accounts()).entries.keys()];
    expect(names[0]).toBe('work');
    for (const name of names) expect((await store.secret(name)).apiKey).not.toBe('');
    expect(await readFile(store.accountsFile, 'utf8')).toBe(before[0]);
    expect(JSON.parse(await readFile(store.credentialsFile, 'utf8'))).toEqual(JSON.parse(before[1] ?? ''));
    expect((await readdir(store.folder)).sort()).toEqual(['accounts.json', 'credentials.json']);
  });
});

describe('names', () => {
  it.each(['__proto__', 'constructor', 'toString', '.', '..', 'a', 'A.b_c-9', 'x'.repeat(64)])('%s is a name like any other', async (name) => {
    const store = await newStore();
    await expect(store.account(name)).rejects.toThrow('no account');
    await store.put([account(name)]);
    expect((await storeIn(store.folder).secret(name)).apiKey).toBe(key);
    await store.rename(name, 'other');
    await store.remove('other');
    expect((await store.accounts()).entries.size).toBe(0);
    expect(await store.orphans()).toEqual([]);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'x'.repeat(65), 'a\n'])('%j is refused', async (name) => {
    const store = await newStore();
    await expect(store.put([account(name)])).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('changes', () => {
  it('accounts of one put are stored all or none', async () => {
    const store = await newStore();
    await store.put([account('b')]);
    await expect(store.put([account('a'), account('b')])).rejects.toThrow('account b exists');
    expect([...(await store.accounts()).entries.keys()]).toEqual(['b']);
    expect(await store.orphans()).toEqual([]);
  });

  it('a replaced key and the key of a removed account leave the file', async () => {
    const store = await newStore();
    await store.put([account('work')]);
    await store.put([account('work', { secret: { apiKey: 'another-key-0123456789', hosts: [] } })], { isReplacing: true });
    expect(await readFile(store.credentialsFile, 'utf8')).not.toContain(key);
    await store.remove('work');
    expect(await readFile(store.credentialsFile, 'utf8')).not.toContain('another-key');
    expect((await store.accounts()).active).toBeUndefined();
  });

  it('an account whose key is gone is reported, and can be replaced and removed', async () => {
    const store = await newStore();
    await store.put([account('work')]);
    await writeFile(store.credentialsFile, '{"version":1,"keys":{}}');
    await expect(store.secret('work')).rejects.toMatchObject({ message: 'the key of account work is missing from the file', exitCode: 3 });
    await store.put([account('work')], { isReplacing: true });
    expect((await store.secret('work')).apiKey).toBe(key);
  });

  it('a key without an account is named, and goes with the next change of the name', async () => {
    const store = await newStore();
    await store.put([account('work'), account('home')]);
    await writeFile(store.accountsFile, '{"version":1,"accounts":{}}');
    expect(await store.orphans()).toEqual(['work', 'home']);
    await store.put([account('work')]);
    expect(await store.orphans()).toEqual(['home']);
    expect(await store.remove('home')).toBe(true);
    expect(await store.orphans()).toEqual([]);
    expect(await store.remove('home')).toBe(false);
  });
});
