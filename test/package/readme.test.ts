// The fences of README as a reader meets them: the packed package in an empty folder, the programs as they are printed, with and without a key.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installed, installTarball, project } from '../../scripts/release/installed.ts';
import { snippetsOf } from '../docs/snippets.ts';

const programs = [...snippetsOf('README.md', 'ts'), ...snippetsOf('README.md', 'js')].map(({ code }) => code);
const [withMock = '', adapted = ''] = programs;
const withKey = withMock.replace('newClient,', 'newClientFromEnv,').replace(/newClient\(.*\);/, 'newClientFromEnv();');
const command = snippetsOf('README.md', 'sh')[1]?.code ?? '';
let folder: string;
let installed: Installed;
let mock: ChildProcess | undefined;
let url = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  installed = await installTarball(folder);
  for (const name of ['openai', '@types/node', 'undici-types'])
    await cp(join(project, 'node_modules', name), join(installed.app, 'node_modules', name), { recursive: true });
  // The port of the page may be taken on this machine: 0 chooses a free one.
  mock = spawn('npx', ['modelsvc', 'mock', '--port', '0'], { cwd: installed.app, detached: true, env: { PATH: process.env['PATH'] } });
  const [line] = (await once(mock.stdout?.setEncoding('utf8') ?? mock, 'data')) as [string];
  url = line.trim();
});

afterAll(async () => {
  if (mock?.pid !== undefined) process.kill(-mock.pid);
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program in the empty project, with this environment alone. */
async function run(program: string, env: Readonly<Record<string, string>> = {}): Promise<{ stdout: string; stderr: string; code: number }> {
  await writeFile(join(installed.app, 'try.mjs'), program);
  const options = { cwd: installed.app, env: { PATH: process.env['PATH'], ...env } };
  return promisify(execFile)(process.execPath, ['try.mjs'], options).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
  );
}

it('the page has these programs and commands, and each is run or named here', () => {
  expect(programs).toHaveLength(2);
  expect(withMock).toContain('// The mock needs no key. With a key: const c = newClientFromEnv();');
  // `npm pack` and `npm install` are the set-up of this file; the commands for contributors are CI's.
  expect(snippetsOf('README.md', 'sh').map(({ code }) => code.split('\n')[0])).toEqual([
    'npm ci && npm pack',
    command.split('\n')[0],
    expect.stringMatching(/^npm ci && npm run demo /),
  ]);
});

it('the program for the mock prints its answer, without a key and without a change', async () => {
  expect(withMock).toContain('http://127.0.0.1:4010');
  const ended = await run(withMock.replace('http://127.0.0.1:4010', url));
  expect(ended).toEqual({ stdout: /\/\/ → (.*)/.exec(withMock)?.[1], stderr: '', code: 0 });
});

it('the command asks the same mock', async () => {
  const options = { cwd: installed.app, env: { PATH: process.env['PATH'], HOME: folder, npm_config_update_notifier: 'false' } };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `${command.trim().replace('http://127.0.0.1:4010', url)} < /dev/null`], options);
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/91.*\n$/), stderr: '' });
});

it('the mock of the page is the default one', async () => {
  const { stdout } = await promisify(execFile)('npx', ['modelsvc', 'mock', '--help'], { cwd: installed.app, env: { PATH: process.env['PATH'] } });
  expect(stdout).toContain('Default: 4010');
});

it('the program with a key asks the root that SVC_API_BASE_URL names, and without a key it names the cure', async () => {
  const key = { SVC_API_KEY: 'any', SVC_API_BASE_URL: `${url}/api/paas/v4` };
  expect(await run(withKey, key)).toEqual({ stdout: expect.stringMatching(/\S$/), stderr: '', code: 0 });
  const { stderr, code } = await run(withKey);
  expect(stderr).toContain('ConfigError: SVC_API_KEY is not set: set it to your API key, or pass apiKey to newClient');
  expect(code).toBe(1);
});

it('the program for `openai` runs over the fetch of the package', async () => {
  const question =
    "console.log((await openai.chat.completions.create({ model: 'glm-5.3', messages: [{ role: 'user', content: 'Hi' }] })).choices.length);";
  // The mock instead of the hosts of the service.
  const program = adapted.replace('https://api.z.ai', url).replace('serviceFetch()', `serviceFetch({ baseURL: '${url}/api/paas/v4' })`);
  const ended = await run(`${program}\n${question}`, { SVC_API_KEY: 'any' });
  expect(ended).toEqual({ stdout: '1\n', stderr: '', code: 0 });
});

it('every program compiles as printed', async () => {
  for (const [index, program] of programs.entries()) await writeFile(join(installed.app, `page-${index}.mts`), `${program}\nexport {};\n`);
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', 'node'];
  const files = programs.map((_, index) => `page-${index}.mts`);
  await promisify(execFile)(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), ...flags, ...files], { cwd: installed.app });
});
