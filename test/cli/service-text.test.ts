// Text of the service on a terminal: every command that prints it, and every format. All formats of all commands are printed by terminal/output.ts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { examples } from '../../src/generated/examples.ts';
import { newHome, run, withFake } from './support/in-process.ts';
import { hasPty, runInPty } from './support/pty.ts';

/** A bullet, which must arrive, between characters that a terminal would obey: C0, DEL, C1, and marks that reorder text. */
const poison = '•\x1b[2J\x07\x7f\x80\x85\x9b2J\x9d0;x\x9c\u061c\u200e\u200f\u202e\u2066•';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be absent
const obeyed = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Fields whose values the library or the program reads. */
const read = new Set(['type', 'status', 'role', 'object', 'finish_reason', 'stop_reason', 'task_status', 'code', 'search_intent', 'agent_id']);

/** A value of the service with the poison at the end of each text, and in the name of a new field. */
function poisoned(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return read.has(key) ? value : value + poison;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key));
  if (typeof value !== 'object' || value === null) return value;
  return { ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)])), [`new${poison}`]: poison };
}

function exampleOf(operation: string, media: string): unknown {
  const replies = examples[operation]?.replies[`200 ${media}`] ?? {};
  return replies[operation === 'client.getAsyncResult' ? 'chat' : (Object.keys(replies)[0] ?? '')];
}

/** Answers every operation with its example, poisoned. */
function poisonAll(fake: FakeService): void {
  const turn = {
    text: ['a \x1b[2', `J${poison} \x1b`, `]0;own`, `ed\x07b`],
    reasoning: [`hm\x9b`, `${poison}\x1b`, '[31m'],
    toolCalls: [{ name: `weather${poison}`, arguments: { city: `Köln${poison}` } }],
  };
  for (const operation of ['chat.create', 'anthropic.create'] as const) fake.fallback(operation, { turn });
  fake.fallback('*', ({ operation = '', body }) => {
    const frames = exampleOf(operation, 'text/event-stream');
    if (typeof frames !== 'string' || !JSON.stringify(body).includes('"stream":'))
      return { body: poisoned(exampleOf(operation, 'application/json')) };
    const data = frames.split('\n\n').filter((frame) => frame.startsWith('data: {'));
    return { frames: [...data.map((frame) => poisoned(JSON.parse(frame.slice(6))) as object), 'data: [DONE]\n\n'] };
  });
}

async function prepared(): Promise<{
  fake: FakeService;
  screen(...args: string[]): Promise<string>;
  screenOfProcess(...args: string[]): Promise<string>;
  piped(...args: string[]): Promise<string>;
}> {
  const { fake, modelsvc } = await withFake();
  const HOME = await newHome();
  for (const [name, text] of [
    ['a.wav', 'RIFF audio'],
    ['a.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['a.txt', 'text'],
    ['a.jsonl', '{}\n'],
    ['tool.json', '{"name":"weather"}'],
  ] as const)
    await writeFile(join(HOME, name), text, 'latin1');
  poisonAll(fake);
  const env = { HOME, SVC_API_KEY: fakeKey, TERM: 'xterm' };
  const options = ['--color', 'never', '--no-progress', '--base-url', fake.url];
  return {
    fake,
    screen: async (...args) => (await run([...args, ...options], { env, cwd: HOME, columns: 100 })).stdout,
    screenOfProcess: async (...args) => (await runInPty([...args, ...options], { env })).screen,
    piped: async (...args) => (await modelsvc(args, { env, cwd: HOME })).stdout,
  };
}

const commands = [
  'chat hi',
  'chat hi --no-stream',
  'chat hi --tool tool.json',
  'chat hi --extract',
  'chat hi --async',
  'jobs result job-1',
  'messages hi',
  'messages hi --no-stream --tool tool.json',
  'models list',
  'moderate hi',
  'search hi',
  'read https://example.com',
  'api GET /models',
  'api POST /chat/completions --stream -d {"model":"glm-4.6","messages":[{"role":"user","content":"hi"}]}',
  'quota',
  'quota --format statusline',
  'usage --by model',
  'usage --by tool',
  'usage account',
  'usage subscription',
  'images create cat',
  'images create cat --async',
  'videos create cat',
  'audio transcribe a.wav',
  'audio transcribe a.wav --stream',
  'voices list',
  'voices clone anna a.wav --text Hello.',
  'files list',
  'files upload a.jsonl --purpose batch',
  'ocr layout a.png',
  'ocr handwriting a.png',
  'parse create a.txt',
  'parse sync a.txt',
  'batches list',
  'jobs result batch_1',
  'agents invoke general_translation hi',
  'agents invoke general_translation hi --stream',
  'jobs result general_translation run-1',
  'agents history slides_glm_agent conv-1',
];

describe('text of the service on a terminal has no characters that it obeys', () => {
  it.each(commands)('%s', async (line) => {
    const { screen } = await prepared();
    const shown = await screen(...line.split(' '));
    expect(shown).toContain('•');
    expect(shown).not.toMatch(obeyed);
  });

  it.runIf(hasPty).each(['chat hi', 'models list', 'models list -o table', 'quota', 'api GET /models -o json', 'chat hi --tool tool.json'])(
    'a real terminal gets the same: %s',
    async (line) => {
      const { screen, screenOfProcess } = await prepared();
      const words = line.split(' ');
      expect((await screenOfProcess(...words)).replaceAll('\r\n', '\n')).toBe(await screen(...words));
    },
  );

  it('in errors, in the debug log and in the notes about retries', async () => {
    const { fake, screen } = await prepared();
    fake.fallback('chat.create', { status: 500, body: { error: { code: `1${poison}`, message: poison } } });
    for (const format of ['text', 'json']) {
      const shown = await screen('chat', 'hi', '--debug', '--retries', '1', '-o', format);
      expect(shown).toContain('•');
      expect(shown).not.toMatch(obeyed);
    }
  });
});

describe('the value is the same on a terminal and in a pipe, which gets the characters as they are', () => {
  const lines = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const readers = { json: JSON.parse, jsonl: lines, yaml: parse } as const;
  it.each([
    ['api GET /models', 'json'],
    ['api GET /models', 'jsonl'],
    ['api GET /models', 'yaml'],
    ['api GET /models', 'text'],
    ['batches list', 'json'],
    ['batches list', 'jsonl'],
    ['batches list', 'yaml'],
    ['agents invoke general_translation hi --stream', 'jsonl'],
    ['embeddings create hi', 'yaml'],
    ['rerank hi a', 'yaml'],
    ['audio transcribe a.wav', 'yaml'],
    ['chat hi -R', 'jsonl'],
    ['messages hi -R', 'yaml'],
  ] as const)('%s -o %s', async (line, format) => {
    const { screen, piped } = await prepared();
    const args = [...line.split(' '), '-o', format];
    const shown = await screen(...args);
    const exact = await piped(...args);
    expect(exact).toContain('\u202e');
    expect(shown).not.toMatch(obeyed);
    const value = readers[format === 'text' ? 'json' : format];
    expect(ofCall(value(shown))).toEqual(ofCall(value(exact)));
  });

  it('a list as a table', async () => {
    const { screen, piped } = await prepared();
    const shown = await screen('files', 'list', '-o', 'table');
    expect(shown).toContain('••');
    expect(shown).not.toMatch(obeyed);
    expect(await piped('files', 'list', '-o', 'table')).toContain('\u202e');
  });
});

/** Ids and times differ between two calls. */
function ofCall(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one: unknown) => (/^(id|request_id|created|created_at|.*_id)$/.test(key) ? '' : one)));
}
