// The keychain is a stub module on disk: its entries are files of a folder, and a file `mode` makes it fail.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, type RunOptions } from '../support/in-process.ts';
import { newUser, type User } from './support/shell.ts';

const stub = `
const { existsSync, readFileSync, unlinkSync, writeFileSync } = require('node:fs');
const folder = process.env.KEYCHAIN_STUB;
// As a secret service that accepts and never answers: the thread is blocked.
const wait = () => {
  writeFileSync(folder + '/pid', String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const mode = existsSync(folder + '/mode') ? readFileSync(folder + '/mode', 'utf8') : '';
exports.Entry = class Entry {
  constructor(service, account, options) {
    if (mode === 'silent') wait();
    if (mode === 'no-bus') throw new Error('set your DBUS_SESSION_BUS_ADDRESS');
    if (options?.linux?.store !== 'secret-service') throw new Error('no explicit store');
    this.file = folder + '/' + service + '.' + account;
  }
  setPassword(text) {
    if (mode === 'refuses') throw new Error('access denied for ' + text);
    if (mode === 'forgets') return;
    writeFileSync(this.file, mode === 'cuts' ? text.slice(0, 20) : text);
  }
  getPassword() {
    if (mode === 'locked') throw new Error('the collection is locked');
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : null;
  }
  deletePassword() {
    if (!existsSync(this.file)) return false;
    unlinkSync(this.file);
    return true;
  }
};
`;

async function withKeychain(): Promise<User & { readonly env: Record<string, string>; readonly keychain: string }> {
  const user = await newUser();
  const modules = join(user.home, 'global', 'node_modules');
  const keychain = join(user.home, 'keychain');
  await mkdir(join(modules, '@napi-rs', 'keyring'), { recursive: true });
  await mkdir(keychain);
  await writeFile(join(modules, '@napi-rs', 'keyring', 'index.js'), stub);
  const env = { NODE_PATH: modules, KEYCHAIN_STUB: keychain };
  return { ...user, env, keychain, sh: (args, options = {}) => user.sh(args, { ...options, env: { ...env, ...options.env } }) };
}

describe('the keychain', () => {
  it('keeps the key and its hosts; the files have neither', async () => {
    const { sh, fake, folder, keychain } = await withKeychain();
    const added = await sh(['accounts', 'add', 'work', '--store', 'keychain', '--base-url', fake.url], { stdin: fakeKey });
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain('in the keychain of the system.');
    expect(await readdir(folder)).toEqual(['accounts.json']);
    const [entry = ''] = await readdir(keychain);
    expect(JSON.parse(await readFile(join(keychain, entry), 'utf8'))).toEqual({ apiKey: fakeKey, hosts: [fake.url] });
    expect((await sh(['models', 'list'])).code).toBe(0);
    expect((await sh(['accounts', 'token'])).stdout).toBe(`${fakeKey}\n`);
    await sh(['accounts', 'allow-host', 'work', 'https://gateway.example']);
    expect(JSON.parse((await sh(['accounts', 'show', '--json'])).stdout)).toMatchObject({
      store: 'keychain',
      hosts: [fake.url, 'https://gateway.example'],
    });
    expect((await sh(['accounts', 'rename', 'work', 'office'])).code).toBe(0);
    expect(
      (await sh(['accounts', 'add', 'office', '--replace', '--no-validate', '--store', 'keychain'], { stdin: 'another-key-0123456789' })).code,
    ).toBe(0);
    expect((await sh(['accounts', 'token', 'office'])).stdout).toBe('another-key-0123456789\n');
    expect(await readdir(keychain)).toHaveLength(1);
    expect((await sh(['accounts', 'remove', 'office', '--yes'])).code).toBe(0);
    expect(await readdir(keychain)).toEqual([]);
  });

  it.each([
    ['forgets', 'the key read back differs from the key written'],
    ['cuts', 'the key read back differs from the key written'],
    ['no-bus', 'set your DBUS_SESSION_BUS_ADDRESS'],
    ['locked', 'the collection is locked'],
    ['refuses', 'no reason given'],
  ])('that %s stores no account, and the error names --store file', async (mode, reason) => {
    const { sh, keychain, printed } = await withKeychain();
    await writeFile(join(keychain, 'mode'), mode);
    const failed = await sh(['accounts', 'add', 'work', '--store', 'keychain', '--no-validate'], { stdin: fakeKey });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toBe(
      `modelsvc: the keychain could not store the key: ${reason}\nUnlock the keychain of the system, or store the key with --store file.\n`,
    );
    expect((await sh(['accounts', 'list', '--json'])).stdout).toBe('[]\n');
    expect(printed()).not.toContain(fakeKey);
  });

  const commands: readonly (readonly string[])[] = [
    ['chat', 'hi'],
    ['chat', 'hi', '--dry-run'],
    ['doctor'],
    ['accounts', 'token'],
    ['accounts', 'add', 'other', '--store', 'keychain', '--no-validate'],
    ['accounts', 'remove', 'work', '--yes'],
    ['quota'],
  ];

  async function silent() {
    const user = await withKeychain();
    await user.sh(['accounts', 'add', 'work', '--store', 'keychain', '--base-url', user.fake.url], { stdin: fakeKey });
    await writeFile(join(user.keychain, 'mode'), 'silent');
    const isGone = async (): Promise<boolean> => {
      const pid = Number(await readFile(join(user.keychain, 'pid'), 'utf8').catch(() => '0'));
      if (pid === 0) return true;
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    return { ...user, isGone };
  }

  it('that never answers is left after five seconds, with the way out, and its process ends', async () => {
    const { sh, isGone } = await silent();
    const ends = await Promise.all(commands.map((args) => sh(args, { stdin: 'another-key-0123456789', isProcess: true })));
    for (const [at, { code, stdout, stderr }] of ends.entries()) {
      const text = `${stdout}${stderr}`;
      expect([commands[at], code, text]).toEqual([
        commands[at],
        1,
        expect.stringMatching(/the keychain could not \w+ the key: it did not answer within 5 seconds/),
      ]);
      expect(text).toMatch(/Unlock the keychain|--keep-key/);
    }
    await expect.poll(isGone).toBe(true);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('that never answers does not keep a command that gets %s', async (signal) => {
    const { sh, isGone, keychain } = await silent();
    for (const args of commands) {
      await rm(join(keychain, 'pid'), { force: true });
      const onStart: RunOptions['onStart'] = (child) => {
        const timer = setInterval(() => {
          if (!existsSync(join(keychain, 'pid'))) return;
          clearInterval(timer);
          child.kill(signal);
        }, 5);
      };
      const { code } = await sh(args, { stdin: 'another-key-0123456789', onStart });
      expect([args, code]).toEqual([args, signal === 'SIGINT' ? 130 : 143]);
      await expect.poll(isGone).toBe(true);
    }
  });

  it('that never answers leaves a line for a prompt empty, and its process ends', async () => {
    const { sh, isGone } = await silent();
    for (const args of [[], ['--all-accounts']])
      expect(await sh(['quota', '--format', 'statusline', ...args], { isProcess: true })).toEqual({ stdout: '', stderr: '', code: 0 });
    await expect.poll(isGone).toBe(true);
  });

  it('whose entry is gone is a missing key: exit code 3', async () => {
    const { sh, fake, keychain } = await withKeychain();
    await sh(['accounts', 'add', 'work', '--store', 'keychain', '--base-url', fake.url], { stdin: fakeKey });
    const [entry = ''] = await readdir(keychain);
    await writeFile(join(keychain, entry), 'from another program');
    expect((await sh(['models', 'list'])).stderr).toContain('the keychain could not read the key: the entry is not from modelsvc');
    const { unlink } = await import('node:fs/promises');
    await unlink(join(keychain, entry));
    expect(await sh(['models', 'list'])).toMatchObject(ends(3, 'the key of account work is missing from the keychain'));
    await writeFile(join(keychain, 'mode'), 'no-bus');
    const stuck = await sh(['accounts', 'remove', 'work', '--yes']);
    expect(stuck.stderr).toBe(
      'modelsvc: the keychain could not remove the key: set your DBUS_SESSION_BUS_ADDRESS\nFix this, or leave the key in the keychain with --keep-key.\n',
    );
    expect((await sh(['accounts', 'remove', 'work', '--yes', '--keep-key'])).stdout).toBe('Removed account work.\nNo account is active now.\n');
  });

  it('without its module names the module and --store file', async () => {
    const { sh } = await newUser();
    const { code, stderr } = await sh(['accounts', 'add', 'work', '--store', 'keychain', '--no-validate'], { stdin: fakeKey });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'modelsvc: the keychain needs the module @napi-rs/keyring, which is not installed\n' +
        'Run `npm install --global @napi-rs/keyring@2`, or use --store file.\n',
    });
  });
});
