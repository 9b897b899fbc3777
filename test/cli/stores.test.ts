// Every file that the program keeps: one of an earlier version, of a newer one, and a broken one.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, test } from 'vitest';
import { type Ended, newHome, run, withFake } from './support/in-process.ts';

interface Store {
  readonly path: string;
  /** As an earlier version of the program wrote it. */
  readonly earlier: string;
  /** Such a file is refused by name. Default: it is read, and a change keeps what it has. */
  readonly isRefused?: true;
  readonly newer: string;
  /** A file of a newer version is read as far as it fits. */
  readonly readsNewer?: true;
  /** Commands that read it and change it. */
  readonly read: readonly string[];
  readonly change: readonly string[];
  /** One that other users can read is refused. */
  readonly isPrivate?: true;
  /** Exit code of both. Default: 0. */
  readonly code?: number;
  /** The command goes on without the file, and warns: its result is paid for. */
  readonly isWarning?: true;
  /** A broken one is replaced by a change. */
  readonly isReplaced?: true;
  /** A part of the earlier file that the changed one must have. */
  readonly kept?: string;
}

const account = { region: 'global', store: 'file', keyId: 'k1', keyMask: '…', keyFingerprint: 'sha256:1', createdAt: '', note: 'mine' };
const talk = { surface: 'chat', model: 'glm-5.3', messages: [{ role: 'user', content: 'mine' }] };
const crush = '.config/crush/crush.json';
const entry = {
  tool: 'codex',
  part: 'load',
  file: '/mine.json',
  format: 'json',
  state: 'written',
  keyMode: 'env',
  version: '0',
  time: '',
  edits: [],
};

const plan = ['models', 'list', '--plan-endpoint', '--yes', '--retries', '0'];

const stores: Readonly<Record<string, Store>> = {
  'accounts.json': {
    path: '.config/modelsvc/accounts.json',
    isPrivate: true,
    earlier: JSON.stringify({ version: 1, accounts: { work: account } }),
    newer: JSON.stringify({ version: 2, accounts: { work: account } }),
    readsNewer: true,
    read: ['accounts', 'list'],
    change: ['accounts', 'use', 'work'],
    kept: 'mine',
  },
  'credentials.json': {
    path: '.config/modelsvc/credentials.json',
    isPrivate: true,
    earlier: JSON.stringify({ version: 1, keys: { k1: { apiKey: fakeKey, account: 'work', hosts: ['https://mine.example'] } } }),
    newer: JSON.stringify({ version: 2, keys: { k1: { apiKey: fakeKey, account: 'work', hosts: ['https://mine.example'] } } }),
    readsNewer: true,
    read: ['accounts', 'token', 'work'],
    change: ['accounts', 'allow-host', 'work', 'https://other.example', '--yes'],
    kept: 'mine',
  },
  'config.json': {
    path: '.config/modelsvc/config.json',
    earlier: '{ "settings": { "alias.mine": "glm-5" } }',
    newer: '{ "version": 2, "settings": { "model": "glm-5", "mood": { "good": true } }, "more": [] }',
    readsNewer: true,
    read: ['config', 'list'],
    change: ['config', 'set', 'alias.other', 'glm-4.6'],
    kept: 'mine',
  },
  'acknowledged.json': {
    path: '.config/modelsvc/acknowledged.json',
    earlier: '{ "mine": "2026-11-01" }',
    newer: '{ "version": 2, "terms": [] }',
    read: plan,
    change: plan,
    // The guard of the tests refuses the host of the service.
    code: 7,
    kept: 'mine',
  },
  'coding.json': {
    path: '.config/modelsvc/coding.json',
    isPrivate: true,
    earlier: JSON.stringify({ version: 1, entries: [entry], made: [] }),
    newer: JSON.stringify({ version: 2, entries: [], made: [] }),
    read: ['coding', 'status'],
    change: ['coding', 'load', 'crush', '--key-mode', 'env', '--yes', '--no-check'],
    kept: 'mine',
  },
  'the last conversation': {
    path: '.state/modelsvc/conversations/last.json',
    earlier: JSON.stringify({ version: 1, ...talk }),
    newer: JSON.stringify({ version: 2, ...talk }),
    read: ['conversations', 'show'],
    change: ['chat', '-c', 'Hi'],
    kept: 'mine',
  },
  'the last conversation, replaced': {
    path: '.state/modelsvc/conversations/last.json',
    earlier: JSON.stringify({ version: 1, ...talk }),
    newer: JSON.stringify({ version: 2, ...talk }),
    read: ['conversations', 'show'],
    change: ['chat', 'Hi'],
    isWarning: true,
    isReplaced: true,
  },
  'a conversation with a name': {
    path: '.state/modelsvc/conversations/named-trip.json',
    earlier: JSON.stringify({ version: 1, ...talk }),
    newer: JSON.stringify({ version: 2, ...talk }),
    read: ['conversations', 'show', 'trip'],
    change: ['conversations', 'rename', 'trip', 'trip'],
    kept: 'mine',
  },
  'a template': {
    path: '.config/modelsvc/templates/t.yaml',
    earlier: 'prompt: mine\n',
    newer: 'version: 2\nprompt: New\nmood: good\n',
    read: ['chat', '-T', 't'],
    change: ['chat', 'New', '--save-template', 't', '--yes'],
  },
  'the state of batches': {
    path: 'out.jsonl.state',
    earlier: '{"version":1,"batch":"b1"}',
    isRefused: true,
    newer: '{"version":4,"rows":"r","input":"i"}',
    read: ['batches', 'run', 'in.jsonl', '-O', 'out.jsonl', '--dry-run'],
    change: ['batches', 'run', 'in.jsonl', '-O', 'out.jsonl'],
  },
};

interface Place {
  /** Its name, in messages. */
  readonly file: string;
  command(args: readonly string[]): Promise<Ended>;
  text(): Promise<string>;
  /** Lets other users read it. Returns its path. */
  open(): Promise<string>;
}

async function withStored({ path }: Store, text: string): Promise<Place> {
  const [home, { fake, modelsvc }] = [await newHome(), await withFake()];
  fake.chat.reply('one').reply('two').reply('three');
  const put = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(home, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(home, name), content, { mode: 0o600 });
  };
  for (const name of ['accounts.json', 'credentials.json'] as const) await put(`.config/modelsvc/${name}`, stores[name]?.earlier ?? '');
  await put(crush, '{}\n');
  await put(
    'in.jsonl',
    '{"custom_id":"a","method":"POST","url":"/v4/chat/completions","body":{"model":"glm-5.1","messages":[{"role":"user","content":"Hi"}]}}\n',
  );
  await put(path, text);
  const env = { HOME: home, XDG_STATE_HOME: join(home, '.state'), XDG_CONFIG_HOME: join(home, '.config') };
  return {
    file: basename(path),
    command: (args) => (args === plan ? run(args, { cwd: home, env: { ...env, SVC_API_KEY: fakeKey } }) : modelsvc(args, { cwd: home, env })),
    text: () => readFile(join(home, path), 'utf8'),
    open: async () => {
      await chmod(join(home, path), 0o640);
      return join(home, path);
    },
  };
}

describe.each(Object.entries(stores))('%s', (_, store) => {
  test(`of an earlier version is ${store.isRefused ? 'refused by name, and stays' : 'read, and a change keeps what it has'}`, async () => {
    const { file, command, text } = await withStored(store, store.earlier);
    for (const args of [store.read, store.change]) {
      const { code, stderr } = await command(args);
      expect({ args, isDone: code === (store.code ?? 0), stderr }).toEqual({
        args,
        isDone: store.isRefused !== true,
        stderr: store.isRefused ? (expect.stringContaining(file) as string) : (expect.not.stringContaining(file) as string),
      });
    }
    if (store.isRefused) expect(await text()).toBe(store.earlier);
    else expect(await text()).toContain(store.kept ?? '');
  });

  test(`of a newer version is ${store.readsNewer ? 'read, and never written' : 'refused by name, and stays'}`, async () => {
    const { file, command, text } = await withStored(store, store.newer);
    const read = await command(store.read);
    const named = new RegExp(`${file} was written by a newer modelsvc`);
    if (store.readsNewer) expect(read.code).toBe(0);
    else expect({ ...read, isDone: read.code === 0 }).toMatchObject({ isDone: false, stderr: expect.stringMatching(named) as string });
    const changed = await command(store.change);
    expect({ ...changed, isDone: changed.code === 0 }).toMatchObject({
      isDone: store.isWarning === true,
      stderr: expect.stringMatching(named) as string,
    });
    expect(changed.stderr).not.toMatch(/broken|repair/i);
    expect(await text()).toBe(store.newer);
  });

  test.runIf(store.isPrivate)('that other users can read is refused', async () => {
    const { command, open, text } = await withStored(store, store.earlier);
    const path = await open();
    for (const args of [store.read, store.change])
      expect(await command(args)).toMatchObject({
        code: 1,
        stderr: `modelsvc: ${path} is open to other users (mode 640)\nRun \`chmod 600 ${path}\`.\n`,
      });
    expect(await text()).toBe(store.earlier);
  });

  test(`that is broken is named, and ${store.isReplaced ? 'replaced' : 'stays'}`, async () => {
    const broken = `{"version":1,"items":["${fakeKey}"`;
    const { file, command, text } = await withStored(store, broken);
    for (const args of store.isReplaced ? [store.read] : [store.read, store.change]) {
      const { code, stderr, stdout } = await command(args);
      expect({ args, isDone: code === 0, stderr }).toEqual({ args, isDone: false, stderr: expect.stringContaining(file) as string });
      expect(stderr + stdout).not.toContain(fakeKey);
    }
    if (store.isReplaced) expect(await command(store.change)).toMatchObject({ code: 0 });
    expect((await text()) === broken).toBe(store.isReplaced !== true);
  });
});
