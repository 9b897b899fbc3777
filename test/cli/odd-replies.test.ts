// Every command that prints a reply, against replies with a field that is missing, null or of another type: what was billed is printed.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, faults } from 'modelsvc/testing';
import { expect, test } from 'vitest';
import { oddReply } from '../../src/cli/terminal/reply.ts';
import { examples } from '../../src/generated/examples.ts';
import { sampled } from '../support/deep.ts';
import { type Ended, newHome, withFake } from './support/in-process.ts';

/** The operation whose reply is altered, its media type, and the command. */
const commands: readonly (readonly [operation: string, words: string, media?: string])[] = [
  ['chat.create', 'chat hi --no-stream'],
  ['chat.create', 'chat hi', 'text/event-stream'],
  ['chat.createAsync', 'chat hi --async'],
  ['client.getAsyncResult', 'jobs result t1'],
  ['client.getAsyncResult', 'jobs wait t1 --interval 50ms --max-wait 100ms'],
  ['anthropic.create', 'messages hi --no-stream'],
  ['anthropic.create', 'messages hi', 'text/event-stream'],
  ['responses.create', 'responses hi --no-stream'],
  ['responses.create', 'responses hi', 'text/event-stream'],
  ['embeddings.create', 'embeddings create rain'],
  ['embeddings.create', 'embeddings create rain -o table'],
  ['rerank.create', 'rerank wet rain sun'],
  ['moderations.create', 'moderate hi'],
  ['tools.tokenize', 'tokens count hi'],
  ['tools.webSearch', 'search node'],
  ['tools.webReader', 'read https://example.com'],
  ['models.list', 'models list'],
  ['models.list', 'api GET /models'],
  ['quota.getLimit', 'quota'],
  ['quota.getLimit', 'quota --format statusline'],
  ['quota.getModelUsage', 'usage'],
  ['quota.getModelUsage', 'usage --by model'],
  ['quota.getModelUsage', 'usage --by day'],
  ['quota.getToolUsage', 'usage --by tool'],
  ['quota.getCreditUsage', 'usage'],
  ['quota.getCreditUsage', 'usage --by model'],
  ['quota.getCreditUsage', 'usage --by hour'],
  ['quota.getActivity', 'usage --by day'],
  ['account.subscriptions', 'usage subscription'],
  ['account.info', 'usage account'],
  ['images.generate', 'images create hi'],
  ['images.generateAsync', 'images create hi --async'],
  ['videos.generate', 'videos create hi'],
  ['audio.transcribe', 'audio transcribe call.wav'],
  ['audio.transcribe', 'audio transcribe call.wav --stream', 'text/event-stream'],
  ['voice.list', 'voices list'],
  ['voice.clone', 'voices clone anna call.wav --text hi'],
  ['files.upload', 'voices clone anna call.wav --text hi'],
  ['voice.delete', 'voices delete v1 --yes'],
  ['files.list', 'files list'],
  ['files.upload', 'files upload call.wav'],
  ['files.delete', 'files delete f1 --yes'],
  ['layout.parse', 'ocr layout https://example.com/a.png'],
  ['layout.handwritingOCR', 'ocr handwriting note.jpg'],
  ['fileParser.create', 'parse create page.pdf'],
  ['fileParser.sync', 'parse sync page.pdf'],
  ['fileParser.result', 'jobs result t1'],
  ['fileParser.result', 'jobs wait t1 --interval 50ms --max-wait 100ms'],
  ['batch.create', 'batches run requests.jsonl -O started.jsonl --no-wait'],
  ['batch.list', 'batches list'],
  ['batch.retrieve', 'jobs result batch_1'],
  ['batch.retrieve', 'jobs wait batch_1 --interval 50ms --max-wait 100ms'],
  ['batch.retrieve', 'batches results batch_1 -O -'],
  ['batch.cancel', 'batches cancel batch_1'],
  ['agents.invoke', 'agents invoke general_translation hi'],
  ['agents.invoke', 'agents invoke general_translation hi --stream', 'text/event-stream'],
  ['agents.asyncResult', 'jobs result doc_translation_agent t1'],
  ['agents.conversation', 'agents history slides_glm_agent c1'],
];

/** A reply with one alteration, and its name. */
type Altered = readonly [name: string, reply: unknown];

const otherTypes: readonly unknown[] = ['odd', 7, { odd: 1 }, [7], true, {}, [], [null]];

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

/** Every field of a reply: missing, null, and with values of other types, three of them in turn. Of a list, its first element. */
function alterations(value: unknown, path = ''): Altered[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(isList ? value.slice(0, 1) : value).flatMap(([key, one], at) => {
    const place = `${path}.${key}`;
    const withValue = (next: unknown): unknown => (isList ? [next, ...value.slice(1)] : { ...value, [key]: next });
    const rest = isList ? value.slice(1) : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    const others = otherTypes.filter((other) => kindOf(other) !== kindOf(one) || String(other) === '');
    const turn = [0, 1, 2].map((step) => others[(at + step * 2) % others.length]);
    return [
      [`${place} missing`, rest] as const,
      ...[null, ...new Set(turn)].map((other): Altered => [`${place} = ${JSON.stringify(other)}`, withValue(other)]),
      ...alterations(one, place).map(([name, inner]): Altered => [name, withValue(inner)]),
    ];
  });
}

/** The altered replies of a stream: of each type of event, the first. */
function streams(example: string): Altered[] {
  const frames = example.split('\n\n').filter((frame) => frame !== '');
  const seen = new Set<string>();
  return frames.flatMap((frame, at) => {
    const [, head = '', data = ''] = /^([\s\S]*?data: ?)(\{.*)$/.exec(frame) ?? [];
    if (data === '') return [];
    const event = JSON.parse(data) as { readonly type?: string };
    return alterations(event).flatMap(([name, altered]): Altered[] => {
      const label = `${event.type ?? ''}${name}`;
      if (seen.has(label)) return [];
      seen.add(label);
      return [[label, frames.map((one, place) => `${place === at ? head + JSON.stringify(altered) : one}\n\n`)]];
    });
  });
}

/** Words of the engine, and values that are not text. */
const raw = /Cannot |is not a function|not iterable|reading '|undefined|NaN|\[object|Invalid time/;

/** Commands that print the reply as YAML or JSON. */
const dumps = ['api GET /models', 'usage account', 'jobs result batch_1'];

/** Commands whose reply may be empty: lists, and usage, whose data the service leaves out without any. */
const mayBeEmpty = /^(usage|models list|files list|batches list|rerank)/;

function faultOf(words: string, { code, stdout, stderr }: Ended): string | undefined {
  const found = raw.exec(stdout) ?? raw.exec(stderr);
  if (found) return `prints ${found[0]}`;
  // Code 2 would blame the options.
  if (code === undefined || code === 2) return `ends with ${code}`;
  const isJson = stderr.endsWith(`${oddReply}\n`);
  if (isJson) {
    if (code === 0) return 'ends with 0';
    // Of a stream, the item is a line of its own.
    const json = stdout.slice(Math.max(0, stdout.search(/^[[{]/m)));
    JSON.parse(words.endsWith('--stream') ? json.slice(0, json.indexOf('\n')) : json);
    return undefined;
  }
  if (!dumps.includes(words) && code === 0 && /(^|\s)null(\s|$)/.test(stdout)) return 'prints null';
  if (code === 0 && stdout.trim() === '' && !/^No /.test(stderr) && !mayBeEmpty.test(words)) return 'prints nothing';
  return undefined;
}

/** A fake, its command line, and a folder with the files of the commands. */
async function prepared(): Promise<{ fake: FakeService; perform(words: string, ...options: string[]): Promise<Ended> }> {
  const { fake, modelsvc } = await withFake();
  const HOME = await newHome();
  for (const name of ['call.wav', 'note.jpg', 'page.pdf']) await writeFile(join(HOME, name), 'text');
  const body = { model: 'glm-5.1', messages: [{ role: 'user', content: 'hi' }] };
  await writeFile(join(HOME, 'requests.jsonl'), `${JSON.stringify({ custom_id: 'a', body })}\n`);
  return { fake, perform: (words, ...options) => modelsvc([...words.split(' '), '--retries', '0', ...options], { env: { HOME }, cwd: HOME }) };
}

test.each(commands.map(([operation, words, media = 'application/json']) => [operation, words, media] as const))(
  '%s, altered: %s prints it, or its JSON',
  async (operation, words, media) => {
    const { fake, perform } = await prepared();
    // Only a plan that counts credits is asked for them.
    if (/Credit|Activity/.test(operation)) fake.fallback('quota.getLimit', { example: 'credits' });
    const [example] = Object.values(examples[operation]?.replies[`200 ${media}`] ?? {});
    const altered = media === 'application/json' ? alterations(example) : streams(String(example));
    // The period of a field is 5.
    expect(altered.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const [name, reply] of sampled(altered, 4)) {
      fake.fallback(operation as 'chat.create', media === 'application/json' ? { body: reply } : { frames: reply as string[] });
      for (const format of media === 'application/json' ? [[], ['--json']] : [[]]) {
        const ended = await perform(words, ...format);
        const fault = format.length === 0 ? faultOf(words, ended) : raw.exec(ended.stderr)?.[0];
        if (fault !== undefined) found.push(`${name} ${format}: ${fault}\n${ended.stdout}${ended.stderr}`);
      }
    }
    expect(found).toEqual([]);
  },
);

test.each(commands.map(([operation, words]) => [operation, words] as const))(
  '%s, refused or cut: %s reports it without the name of the operation, which was not typed',
  async (operation, words) => {
    const { fake, perform } = await prepared();
    if (/Credit|Activity/.test(operation)) fake.fallback('quota.getLimit', { example: 'credits' });
    for (const fault of [faults.error(500, '1234', 'Sorry'), faults.cutJson()]) {
      fake.fallback(operation as 'chat.create', fault);
      const { stderr } = await perform(words);
      expect(stderr).not.toMatch(/(?<![/.\w])[a-z]+[A-Za-z]*\.[a-z]+[A-Za-z]*: /);
    }
  },
);

const counts = commands.filter(([, words]) => /^(usage|quota)/.test(words));
test.each(counts.map(([operation, words]) => [operation, words] as const))('%s with numbers that no count has: %s', async (operation, words) => {
  const { fake, perform } = await prepared();
  if (/Credit|Activity/.test(operation)) fake.fallback('quota.getLimit', { example: 'credits' });
  const [example] = Object.values(examples[operation]?.replies['200 application/json'] ?? {});
  for (const number of ['1e999', '-5']) {
    const body = JSON.stringify(example).replace(/(?<!"code":)(?<=[:[,])-?\d[\d.]*(?=[,\]}])/g, number);
    fake.fallback(operation as 'chat.create', { body, headers: { 'content-type': 'application/json' } });
    const { stdout, stderr } = await perform(words);
    expect(stdout + stderr).not.toMatch(/Infinity|∞|NaN|null|-\d+( %|%)/);
  }
});

test('a list as a table, and a text for a terminal', async () => {
  const { fake, modelsvc } = await withFake();
  fake.fallback('rerank.create', { body: { id: '1', results: [{ index: 1 }, { index: 0, relevance_score: 'high' }] } });
  const ended = await modelsvc(['rerank', 'wet', 'rain', 'sun']);
  expect(ended).toEqual({ code: 0, stdout: '\t1\tsun\nhigh\t0\train\n', stderr: '' });
  fake.fallback('rerank.create', { body: { id: '1', results: [null] } });
  expect(await modelsvc(['rerank', 'wet', 'rain', 'sun'])).toEqual({ code: 1, stdout: '[\n  null\n]\n', stderr: `modelsvc: ${oddReply}\n` });
});
