// A key with quotes or with a name, in every place from which the command line takes one.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, newHome, run } from '../support/in-process.ts';

const key = 'abcd1234567890abcdef1234567890ab.ZYXW9876543210zz';

interface Place {
  readonly name: string;
  /** Runs a command that takes a text as key. */
  take(text: string, home: string): Promise<Ended>;
  /** The key that is stored or used then. */
  readonly args?: readonly string[];
}

async function put(home: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, file)), { recursive: true, mode: 0o700 });
  await writeFile(join(home, file), text, { mode: 0o600 });
}

const add = ['accounts', 'add', 'work', '--no-validate'];
const token = ['accounts', 'token'];
const store = '.config/modelsvc/credentials.json';

const places: readonly Place[] = [
  {
    name: 'a key file',
    take: async (text, home) => put(home, 'key', text).then(() => run([...token, '--api-key-file', 'key'], { env: { HOME: home }, cwd: home })),
  },
  { name: 'stdin', take: (text, home) => run([...token, '--api-key-stdin'], { env: { HOME: home }, stdin: text }) },
  { name: 'SVC_API_KEY', take: (text, home) => run(token, { env: { HOME: home, SVC_API_KEY: text.trim() } }) },
  {
    name: 'a new account from a file',
    take: async (text, home) => {
      await put(home, 'key', text);
      const ended = await run([...add, '--api-key-file', 'key'], { env: { HOME: home }, cwd: home });
      return ended.code === 0 ? run(token, { env: { HOME: home } }) : ended;
    },
  },
  {
    name: 'a new account from stdin',
    take: async (text, home) => {
      const ended = await run(add, { env: { HOME: home }, stdin: text });
      return ended.code === 0 ? run(token, { env: { HOME: home } }) : ended;
    },
  },
  {
    name: 'an import of variables',
    take: async (text, home) => {
      const ended = await run(['accounts', 'import', '--from', 'env', '--yes'], { env: { HOME: home, ZAI_API_KEY: text.trim() } });
      return ended.code === 0 ? run([...token, 'zai'], { env: { HOME: home } }) : ended;
    },
  },
  {
    name: 'the stored configuration',
    take: async (text, home) => {
      await run(add, { env: { HOME: home }, stdin: key });
      const stored = await readFile(join(home, store), 'utf8');
      await put(home, store, stored.replace(JSON.stringify(key), JSON.stringify(text.trim())));
      return run(token, { env: { HOME: home } });
    },
  },
];

describe.each(places)('$name', ({ take }) => {
  test.each([`"${key}"\n`, `'${key}'\n`, `\`${key}\``, `\uFEFF"${key}"\r\n`, ` ${key} \n`])('%j is the key without quotes', async (text) => {
    const { code, stdout, stderr } = await take(text, await newHome());
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${key}\n` });
  });

  test.each<[string, string]>([
    [`SVC_API_KEY=${key}\n`, 'is a name with a value'],
    [`ZAI=${key}\n`, 'is a name with a value'],
    [`export ZAI_API_KEY="${key}"\n`, 'is a name with a value'],
    [`api_key: ${key}\n`, 'is a name with a value'],
    [`{"api_key":"${key}"}\n`, 'is a name with a value'],
    [`"${key}\n`, 'has a quote at its begin or end'],
    [`${key}'\n`, 'has a quote at its begin or end'],
    [`"${key}'\n`, 'has a quote at its begin or end'],
  ])('%j is refused with place and cure, and not shown', async (text, says) => {
    const { code, stdout, stderr } = await take(text, await newHome());
    expect({ code, stdout }, stderr).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/\n(?:Leave only the key there, without the name|Remove the quotes)\.\n$/);
    expect(stderr).not.toContain(key);
  });
});

test.each(places.filter(({ name }) => !name.includes('stdin')))(
  '$name: a key that an editor has wrapped is refused, and not shown',
  async ({ take }) => {
    for (const text of [
      `${key.slice(0, 30)}\n${key.slice(30)}\n`,
      `"${key.slice(0, 30)}\r\n${key.slice(30)}"\n`,
      `${key.slice(0, 30)}\n\n  ${key.slice(30)}`,
    ]) {
      const { code, stdout, stderr } = await take(text, await newHome());
      expect({ code, stdout }, text).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(/on more than one line|a quote at its begin or end/);
      expect(stderr).not.toContain(key.slice(0, 30));
    }
    const { stdout } = await take(`${key}\n# the key of work\nuser: me\n\n`, await newHome());
    expect(stdout).toBe(`${key}\n`);
  },
);

test.each(['AbC/+12345678901234567890==', 'id-1:secret-2', 'a=='])('%s is a key as it is', async (text) => {
  expect((await run([...token, '--api-key-stdin'], { stdin: text })).stdout).toBe(`${text}\n`);
});
