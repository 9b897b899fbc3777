// `@FILE` and `-` count only where they were typed. Text of a file, stdin, a template, a conversation or a model is text.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, ends, newHome, type RunOptions, withFake } from '../support/in-process.ts';
import { hasPty } from '../support/pty.ts';
import { openRepl } from './support/repl.ts';

const secret = 'SECRET-OF-A-FILE';

interface Place {
  /** The name of a file that only the user may read. */
  readonly key: string;
  /** Everything that left the program. */
  out(): string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  requests(): readonly unknown[];
}

/** A home with `web.txt`, whose text begins with a name, and templates. */
async function place(templates: Readonly<Record<string, (key: string) => string>> = {}): Promise<Place> {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  const key = join(home, 'id_ed25519');
  await writeFile(key, secret);
  await writeFile(join(home, 'web.txt'), `@${key}`);
  await writeFile(join(home, 'map.txt'), `@${key} {line}`);
  await writeFile(join(home, 'dash.txt'), '-');
  await writeFile(join(home, 'rows.txt'), `@${key}\n-\n${key}\n`);
  await writeFile(join(home, 'clip.wav'), 'RIFF0000WAVE');
  const folder = join(home, '.config', 'modelsvc', 'templates');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(templates)) await writeFile(join(folder, `${name}.yaml`), text(key));
  let printed = '';
  return {
    key,
    out: () =>
      printed +
      fake.requests
        .map(({ path, body, headers }) => JSON.stringify({ path, body: body instanceof Uint8Array ? Buffer.from(body).toString() : body, headers }))
        .join(''),
    requests: () => fake.requests.map(({ body }) => body),
    run: async (args, options = {}) => {
      const ended = await modelsvc(args, {
        cwd: home,
        ...options,
        env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.state'), ...options.env },
      });
      printed += ended.stdout + ended.stderr;
      return ended;
    },
  };
}

const surfaces = ['chat', 'messages', 'responses'] as const;

describe.each(surfaces)('%s: a template', (surface) => {
  const templates: Readonly<Record<string, (key: string) => string>> = {
    system: () => "prompt: 'Hi'\noptions:\n  system: '{doc}'\n",
    prompt: () => "prompt: '{doc}'\n",
    own: (key) => `prompt: '@${key}'\noptions:\n  system: '@${key}'\n`,
    default: (key) => `prompt: hi\noptions:\n  system: '{doc}'\ndefaults:\n  doc: '@${key}'\n`,
    escaped: () => "prompt: hi\noptions:\n  system: '\\@handle is a name'\n",
  };

  it.each([
    ['a file in its system prompt', ['-T', 'system', '-p', 'doc=@web.txt'], 2],
    ['a file in its prompt', ['-T', 'prompt', '-p', 'doc=@web.txt'], 1],
    ['its own texts', ['-T', 'own'], 2],
    ['its defaults', ['-T', 'default'], 1],
  ])('%s names no file', async (_, args, _times) => {
    const { key, out, run, requests } = await place(templates);
    expect(await run([surface, ...args])).toMatchObject({ code: 0 });
    expect(out()).not.toContain(secret);
    expect(JSON.stringify(requests())).toContain(JSON.stringify(`@${key}`).slice(1, -1));
  });

  it('a dash in it is not stdin, which follows it', async () => {
    const { run, requests } = await place(templates);
    await run([surface, '-T', 'prompt', '-p', 'doc=@dash.txt'], { stdin: 'the text of stdin' });
    expect(JSON.stringify(requests())).toContain('-\\n\\n<stdin>\\nthe text of stdin');
  });

  it('a typed dash is stdin, and \\@ an at sign', async () => {
    const { run, requests } = await place(templates);
    await run([surface, '-T', 'escaped', '-'], { stdin: 'the text of stdin' });
    const sent = JSON.stringify(requests());
    expect(sent).toContain('"@handle is a name');
    expect(sent).toContain('hi\\n\\n<stdin>\\nthe text of stdin');
  });

  it.each([
    ['schema', (key: string) => `prompt: hi\noptions:\n  schema: '@${key}'\n`],
    ['tool', (key: string) => `prompt: hi\noptions:\n  tool: ['@${key}']\n`],
    ['tool', (key: string) => `prompt: hi\noptions:\n  tool: ['${key}']\n`],
    ['file', () => "prompt: hi\noptions:\n  file: ['-']\n"],
  ])('its %s names no file and no stdin', async (_, text) => {
    const { out, run, requests } = await place({ x: text });
    expect(await run([surface, '-T', 'x'], { stdin: 'unread' })).toMatchObject({ code: 2 });
    expect(out()).not.toContain(secret);
    expect(requests()).toEqual([]);
  });
});

/** A command whose text comes from somewhere else than the command line. */
const ways: readonly (readonly [name: string, args: readonly string[], stdin?: ((key: string) => string) | undefined, sent?: string])[] = [
  ['a prompt from stdin', ['chat'], (key) => `@${key}`],
  ['a dash from stdin', ['chat', '-'], () => '-', '"content":"-"'],
  ['a system prompt in a file', ['chat', '-s', '@web.txt', 'hi']],
  ['a system prompt from stdin', ['messages', '-s', '@-', 'hi'], (key) => `@${key}`],
  ['a file of -f', ['responses', '-f', 'web.txt', 'hi']],
  ['a schema in a file', ['chat', '--schema', '@web.txt', 'hi']],
  ['rows', ['map', 'Say {line}', 'rows.txt']],
  ['rows that are the whole prompt', ['map', '{line}', '-'], (key) => `@${key}\n-\n`],
  ['a template of map in a file', ['map', '@map.txt', 'rows.txt']],
  ['a prompt of images', ['images', 'create', '@web.txt']],
  ['a prompt of images from stdin', ['images', 'create'], (key) => `@${key}`],
  ['a prompt of videos', ['videos', 'create', '@web.txt']],
  ['a text of speech', ['audio', 'speak', '@web.txt', '-O', 'out.wav']],
  ['a prompt of a transcription', ['audio', 'transcribe', 'clip.wav', '--prompt', '@web.txt']],
  ['a text of a voice', ['voices', 'clone', 'me', 'clip.wav', '--text', '@web.txt', '--transcript', '@web.txt']],
  ['an agent', ['agents', 'invoke', 'general_translation'], (key) => `@${key}`],
  ['a text to moderate', ['moderate', '@web.txt']],
  ['a text to count', ['tokens', 'count'], (key) => `@${key}`],
  ['texts to embed', ['embeddings', 'create', '--input', 'rows.txt']],
  ['documents to rank', ['rerank', 'wet'], (key) => `@${key}\n-\n`],
  ['fields of a raw call', ['api', 'POST', '/chat/completions', '-F', 'model=@web.txt', '-F', 'messages=@dash.txt']],
  [
    'the body of a raw call',
    ['api', 'POST', '/chat/completions', '-d', '@-'],
    (key) => JSON.stringify({ model: `@${key}`, messages: [{ role: 'user', content: '-' }] }),
  ],
  ['files of a repl in a pipe', ['chat', 'repl'], (key) => `/file ${key}\n/system @${key}\nhi\n`, 'cannot name a file'],
];

it.each(ways.map((way) => [way[0], way] as const))('%s names no file', async (_, [, args, stdin, sent]) => {
  const { key, out, run } = await place();
  await run(args, stdin && { stdin: stdin(key) });
  expect(out()).not.toContain(secret);
  expect(out(), 'the text was used or refused as it is').toContain(sent ?? key);
});

it('an answer and a stored conversation name no file', async () => {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  await writeFile(join(home, 'key'), secret);
  const text = `@${join(home, 'key')}`;
  fake.chat.reply(text).reply(text);
  const env = { HOME: home, XDG_STATE_HOME: join(home, '.state') };
  expect(await modelsvc(['chat', '-s', `\\${text}`, text], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await modelsvc(['chat', '-c', 'more'], { env })).toMatchObject(ends(0, /^Continues .*\n$/));
  expect(await modelsvc(['chat', 'repl', '-c'], { env, stdin: '/retry\n' })).toMatchObject({ code: 0 });
  expect(fake.requests).toHaveLength(3);
  expect(JSON.stringify(fake.requests)).not.toContain(secret);
  expect(fake.requests[2]?.body).toMatchObject({
    messages: [{ role: 'system', content: text }, { content: text }, { content: text }, { content: 'more' }],
  });
});

it.runIf(hasPty)('a file that is typed into the repl is read', async () => {
  const { fake } = await withFake();
  fake.chat.reply('fine');
  const home = await newHome();
  await writeFile(join(home, 'note.txt'), 'a note');
  const repl = await openRepl(fake, { HOME: home });
  await repl.ask('/file note.txt\r', 'next question: 1');
  await repl.ask('read\r', 'fine');
  await repl.leave();
  expect(JSON.stringify(fake.requests[0]?.body)).toContain('a note');
});
