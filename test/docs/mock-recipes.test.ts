import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { startFakeService } from '../../src/testing/index.ts';
import { guard } from '../cli/support/run.ts';
import { bundled } from '../support/child.ts';
import { everyOperation } from '../support/every-operation.ts';
import { pages, root, type Snippet, snippetsOf, textOf } from './snippets.ts';

const sources: Readonly<Record<string, string>> = { modelsvc: 'src/overlay/index.ts', 'modelsvc/testing': 'src/testing/index.ts' };
const loopbackUrl = /http:\/\/127\.0\.0\.1:\d+/g;

/** Snippets with the URL of a local server: the mock's. */
const recipes = pages()
  .flatMap((file) => snippetsOf(file, 'ts'))
  .filter(({ code }) => code.includes('http://127.0.0.1:'));

/** Answers every request with 401, and with 404 below a prefix of the recipe, so that each call ends after one attempt, and records it. */
const refused = { status: 401, body: { error: { code: '1001', message: 'no' } } };
const fake = await startFakeService({ keys: 'any', validate: false });
afterAll(() => fake.close());

/** The recipe's client, used for every operation of the spec in a process that cannot leave this machine. */
async function run({ code }: Snippet): Promise<string> {
  const client = code.slice(0, code.indexOf(';', code.indexOf('= newClient(')) + 1);
  const operations = pathToFileURL(`${root}test/support/every-operation.ts`).href;
  const calls = `import { everyOperation } from '${operations}';
for (const [id, { perform }] of Object.entries(everyOperation)) {
  const error = await perform(c).catch((cause) => cause);
  if (error?.status !== 401 && error?.status !== 404) console.log(id, String(error));
}
`;
  const local = (client + calls).replaceAll(loopbackUrl, fake.url);
  const program = local.replaceAll(/from '(modelsvc[^']*)'/g, (_, entry: string) => `from '${pathToFileURL(root + sources[entry]).href}'`);
  const env = { PATH: process.env['PATH'], SVC_API_KEY: 'live-key' };
  const child = spawn(process.execPath, ['--import', guard(), bundled(program)], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return status === 0 ? output : `${output}\nexit ${status}`;
}

it('are there', () => {
  expect(recipes.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['docs/guides/testing.md', 'docs/guides/hosts-and-proxies.md', 'docs/hosts.md']),
  );
});

it.each(recipes.map((one) => [`${one.file}:${one.line}`, one] as const))(
  '%s: every operation of its client stays on loopback',
  async (_place, recipe) => {
    fake.reset().fallback('*', refused);
    expect(await run(recipe)).toBe('');
    expect(fake.requests).toHaveLength(Object.keys(everyOperation).length);
  },
);

it('a recipe with baseURL alone would not pass', async () => {
  const code = "import { newClient } from 'modelsvc';\nconst c = newClient({ apiKey: 'any', maxRetries: 0, baseURL: 'http://127.0.0.1:4010' });\n";
  fake.reset().fallback('*', refused);
  const output = await run({ file: 'wrong.md', line: 1, code });
  expect(output.split('\n').filter((line) => line !== '')).toHaveLength(
    Object.values(everyOperation).filter(({ surface }) => surface !== 'chat').length,
  );
  expect(output).toContain('anthropic.create');
});

it('neither the demo nor the printed recipe points a client at a mock by baseURL', () => {
  for (const file of ['scripts/demo.ts', 'scripts/mock.ts']) {
    expect(textOf(file)).toMatch(/endpoints: ['"]?(\$\{url\}|mock\.url)/);
    expect(textOf(file)).not.toMatch(/baseURL:|SVC_API_BASE_URL/);
  }
});
