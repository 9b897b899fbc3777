// Each command once as a process of its own, in the order of a user's day. Other tests judge the results, most of them inside their own process.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey, startFakeService } from 'modelsvc/testing';
import { expect, onTestFinished, test } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { type CommandSpec, loadAll } from '../../src/cli/table/spec.ts';
import { addAccount, codingHome, fakeProgram } from './coding/support/home.ts';
import { type Ended, newHome, start, withFake } from './support/run.ts';

/** A command, a text of its stdout, and its exit code if that is not 0. */
type Line = readonly [words: string, says: string, code?: number];

// The fake accepts the ids of the spec's examples, and those that it has given.
const job = '20260711073209851e7f8c12c44579';
const file = '20260711_5b8c1f0e-92d4-4a37-8e6b-000000000002';
const batch = 'batch_1943517204867710976';

const calls: readonly Line[] = [
  ['chat hi --save trip --service-rules on', 'kettle'],
  ['chat hi --save-template brief', ''],
  ['chat repl', 'kettle'],
  ['messages hi', 'Air scatters'],
  ['responses hi', 'Air scatters'],
  ['map T:{line} words.txt', '"index":0'],
  ['templates list', 'brief'],
  ['templates show brief', 'prompt: hi'],
  ['templates delete brief --yes', ''],
  ['logs list', 'glm-'],
  ['logs search hi', 'glm-'],
  ['logs show', '[answer]'],
  ['logs continue', 'chat -c'],
  ['logs cost', 'glm-'],
  ['logs export', '"v":1'],
  ['logs delete --before 2020-01-01 --yes', 'Removed 0 exchanges.'],
  ['conversations list', 'trip'],
  ['conversations show trip', '[assistant]'],
  ['conversations rename trip norway', 'norway'],
  ['conversations delete norway --yes', 'Removed norway.'],
  ['models list', 'glm-4.6'],
  ['models show glm-5.3', 'id: glm-5.3'],
  ['embeddings create rain', '"embedding":['],
  ['rerank wet rain sun', 'rain'],
  ['moderate hi', 'PASS'],
  ['tokens count hi', '13'],
  ['search node', 'go.dev'],
  ['read https://example.com', 'Go'],
  ['api GET /models', '"object": "list"'],
  ['quota', 'Plan: pro'],
  ['quota show', 'Plan: pro'],
  ['usage', 'MODEL'],
  ['usage subscription', 'GLM Coding Pro'],
  ['usage account', 'balance'],
  [`jobs result ${job}`, 'Hello!'],
  [`jobs wait ${job}`, 'Hello!'],
  ['images create hi', '/media/'],
  ['videos create hi', '202'],
  ['audio transcribe call.wav', 'Good morning'],
  ['audio speak hi -O train.wav', 'train.wav'],
  ['voices list', 'official'],
  ['voices clone anna call.wav --text hi', 'voice_clone_'],
  ['voices delete voice_clone_20260711_101201_narrator --yes', 'deleted voice_clone_20260711_101201_narrator'],
  ['files list', 'requests.jsonl'],
  ['files upload requests.jsonl', file],
  [`files download ${file} -O file.bin`, 'file.bin'],
  [`files delete ${file} --yes`, `deleted ${file}`],
  ['ocr layout https://example.com/a.png', '# Invoice'],
  ['ocr handwriting note.jpg', 'Dear Anna'],
  ['parse create page.pdf', ''],
  ['parse sync page.pdf', 'hello world'],
  ['batches run requests.jsonl -O results.jsonl', '1 of 1 requests succeeded'],
  ['batches run requests.jsonl -O started.jsonl --no-wait', 'batch'],
  ['batches list', 'batch_'],
  [`batches results ${batch} -O more.jsonl`, 'more.jsonl', 8],
  [`batches cancel ${batch}`, 'cancelling'],
  ['agents invoke general_translation hi', '你好'],
  ['agents history slides_glm_agent conv_5b0e7c21d9f34a86', 'slides'],
  ['doctor', 'the service accepts the key'],
  ['spec', 'openapi: 3.1.0'],
  ['completion bash', 'complete -F'],
  ['help chat', 'Ask a model'],
];

const local: readonly Line[] = [
  ['accounts list', 'fake'],
  ['accounts validate fake', 'plan'],
  ['accounts show fake', 'fake'],
  ['accounts current', 'work'],
  ['accounts token fake', fakeKey],
  ['accounts rename fake office', 'office'],
  ['accounts allow-host office https://gateway.example --yes', ''],
  ['accounts export', 'office'],
  ['accounts export --reveal -O accounts.json office', ''],
  ['accounts remove office --yes', 'office'],
  ['accounts import accounts.json', 'office'],
  ['accounts use work', 'work'],
  ['config set effort low', ''],
  ['config get effort', 'low'],
  ['config list', 'effort'],
  ['config unset effort', ''],
  ['coding tools', 'codex'],
  ['coding load codex --yes --no-check', 'codex'],
  ['coding doctor codex', 'Codex: wired'],
  ['coding mcp add codex --yes', 'config.toml'],
  ['coding mcp list', 'reader'],
  ['coding status', 'codex'],
  ['coding env zed', 'export'],
  ['coding guide cursor', 'Cursor'],
  ['coding run goose', 'started'],
  ['coding mcp remove codex --yes', 'config.toml'],
  ['coding unload codex --yes', 'restored'],
];

async function runEach(lines: readonly Line[], go: (words: readonly string[]) => Promise<Ended>): Promise<void> {
  for (const [words, says, code = 0] of lines) {
    const ended = await go(words.split(' '));
    expect.soft(ended, `${words}\n${ended.stderr}`).toMatchObject({ code, stdout: expect.stringContaining(says) as string });
  }
}

test('calls', async () => {
  const { modelsvc } = await withFake();
  const HOME = await newHome();
  for (const name of ['words.txt', 'call.wav', 'note.jpg', 'page.pdf']) await writeFile(join(HOME, name), 'text');
  const body = { model: 'glm-5.1', messages: [{ role: 'user', content: 'hi' }] };
  await writeFile(join(HOME, 'requests.jsonl'), `${JSON.stringify({ custom_id: 'a', body })}\n`);
  await runEach(calls, (words) => modelsvc(words, { env: { HOME }, stdin: 'text\n' }));
});

test('accounts, settings and coding tools', async () => {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  const user = await codingHome({ isProcess: true });
  await fakeProgram(user.at('bin/goose'), 'echo started');
  await addAccount(user, 'fake', fakeKey, '--base-url', fake.url);
  await runEach(local, (words) => user.sh(words));
});

test('mock', async () => {
  const { line, child, ended } = start(['mock', '--port', '0']);
  expect(await line()).toMatch(/^http:/);
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
});

test('no command of the table is left out', async () => {
  const names = (spec: CommandSpec, above: string): string[] => {
    const name = `${above}${spec.name}`;
    return [...(spec.load === undefined ? [] : [name]), ...(spec.commands ?? []).flatMap((one) => names(one, `${name} `))];
  };
  const all = (await loadAll(sections)).flatMap((spec) => names(spec, ''));
  const longestFirst = [...all].sort((a, b) => b.length - a.length);
  const found = [...calls, ...local].map(([words]) => longestFirst.find((name) => `${words} `.startsWith(`${name} `)));
  expect(found).not.toContain(undefined);
  expect(all.length).toBeGreaterThan(85);
  // The tests above run these two outside of the lists.
  expect(all.filter((name) => !found.includes(name))).toEqual(['accounts add', 'mock']);
});

test('an option counts for the command that has it, also if its group has it too', async () => {
  const flags = (spec: CommandSpec, above: readonly string[]): (readonly string[])[] => {
    const path = [...above, spec.name];
    const words = (spec.arguments ?? []).filter(({ required }) => required).map(() => 'x');
    const own = (spec.options ?? []).filter(({ kind = 'flag' }) => kind === 'flag').map(({ name }) => [...path, `--${name}`, ...words]);
    return [...(spec.load ? own : []), ...(spec.commands ?? []).flatMap((one) => flags(one, path))];
  };
  const lines = (await loadAll(sections)).flatMap((spec) => flags(spec, []));
  expect(lines).toContainEqual(['chat', 'repl', '--no-save']);
  for (const line of lines) {
    const parsed = await parse(line, sections);
    const name = line.find((word) => word.startsWith('--'))?.slice(2) ?? '';
    expect(parsed.kind === 'run' && parsed.input.flag(name), line.join(' ')).toBe(true);
  }
});
