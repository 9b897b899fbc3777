// A paid result whose place fails in the meantime gets another one. Commands × what happens to the place while the service works.
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Answer, FakeService, Reply } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';

const image = 'data:image/png;base64,iVBORw0KGgo=';

/** Sets the answer of a command: `late` is called when the request has arrived. */
type Script = (fake: FakeService, late: () => Promise<void>) => void;

const answered =
  (operation: string, reply: Reply): Script =>
  (fake, late) => {
    const answer: Answer = async () => {
      await late();
      return reply;
    };
    fake.answer(operation as never, answer);
  };

const commands: readonly (readonly [args: readonly string[], file: string, script: Script, text: string])[] = [
  [['audio', 'speak', 'hello'], 'x.wav', answered('audio.speech', { headers: { 'content-type': 'audio/wav' }, body: 'RIFFhello' }), 'RIFFhello'],
  [
    ['images', 'create', 'cat'],
    'x.png',
    (fake, late) => {
      fake.answer('images.generate', { body: { created: 1, data: [{ url: fake.host('/c.png', () => late().then(() => ({ body: 'PNG' }))) }] } });
    },
    'PNG',
  ],
  [
    ['ocr', 'layout', image],
    'x.txt',
    answered('layout.parse', { body: { id: '1', created: 1, model: 'glm-ocr', md_results: 'hello', layout_details: [] } }),
    'hello',
  ],
];

/** A change of the place during the call, and where the result is. */
interface Accident {
  readonly happens: (file: string) => Promise<unknown>;
  readonly place: (file: string, cwd: string) => string;
}

const accidents: Readonly<Record<string, Accident>> = {
  'a file of that name appears': { happens: (file) => writeFile(file, 'mine', { mode: 0o600 }), place: (file) => numbered(file, 2) },
  'files of that name and of the next appear': {
    happens: async (file) => [await writeFile(file, 'mine', { mode: 0o600 }), await writeFile(numbered(file, 2), 'mine')],
    place: (file) => numbered(file, 3),
  },
  'the folder is moved away': {
    happens: (file) => rename(dirname(file), `${dirname(file)}.moved`),
    place: (file, cwd) => join(cwd, file.slice(dirname(file).length + 1)),
  },
  'a file takes the place of the folder': {
    happens: async (file) => [await rm(dirname(file), { recursive: true }), await writeFile(dirname(file), 'mine')],
    place: (file, cwd) => join(cwd, file.slice(dirname(file).length + 1)),
  },
};

/** A link is read again for another place. */
function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | undefined;
  return async () => void (await (done ??= work()));
}

function numbered(file: string, number: number): string {
  return file.replace(/(\.\w+)$/, `-${number}$1`);
}

describe.each(commands)('%j', (args, name, script, text) => {
  it.each(Object.entries(accidents))('if %s, the result has another place, and its path is printed', async (_accident, { happens, place }) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    const file = join(await newHome(), 'out', name);
    await mkdir(dirname(file));
    script(
      fake,
      once(() => happens(file)),
    );
    const { stdout, stderr, code } = await modelsvc([...args, '-O', file], { cwd });
    const path = place(file, cwd);
    expect([stderr, code]).toEqual([expect.stringContaining(`; the result is in ${path}\n`), 0]);
    expect(stdout).toContain(path);
    expect((await readFile(path, 'utf8')).trim()).toBe(text);
    if (_accident.startsWith('a file of')) {
      expect(await readFile(file, 'utf8')).toBe('mine');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    expect(await readdir(cwd)).toEqual(path.startsWith(cwd) ? [name] : []);
  });

  it('if both folders are gone, it is in a private one for temporary files', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    const file = join(await newHome(), 'out', name);
    await mkdir(dirname(file));
    script(
      fake,
      once(async () => {
        await rm(dirname(file), { recursive: true });
        await rm(cwd, { recursive: true });
      }),
    );
    const { stderr, code } = await modelsvc([...args, '-O', file], { cwd, isProcess: true, env: { HOME: await newHome() } });
    const path = /the result is in (.+)\n/.exec(stderr)?.[1] ?? '';
    expect([path.startsWith(join(tmpdir(), 'modelsvc-')), code]).toEqual([true, 0]);
    expect((await readFile(path, 'utf8')).trim()).toBe(text);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    await rm(dirname(path), { recursive: true });
  });
});

describe('a link to a file that does not exist', () => {
  it.each<readonly string[]>([
    ['audio', 'speak', 'hello'],
    ['images', 'create', 'cat'],
    ['videos', 'create', 'cat'],
    ['ocr', 'layout', image],
    ['batches', 'run', '-'],
    ['batches', 'results', 'batch_1'],
    ['map', 'Greet {line}'],
  ])('is refused before the call: %s %s', async (...args) => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const file = join(home, 'x.wav');
    await symlink(join(home, 'nowhere'), file);
    const stdin = args[0] === 'batches' ? '{"body":{"model":"glm-5.1","messages":[{"role":"user","content":"hi"}]}}' : 'Ann';
    for (const more of [[], ['--force']])
      expect(await modelsvc([...args, '-O', file, ...more], { stdin })).toMatchObject(
        ends(2, `-O: ${file} is a link to a file that does not exist\n`),
      );
    expect([fake.requests, await readdir(home)]).toEqual([[], ['x.wav']]);
  });

  it('is not a link to a file, which is followed', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    await writeFile(join(home, 'real.wav'), 'old');
    await symlink(join(home, 'real.wav'), join(home, 'x.wav'));
    fake.answer('audio.speech', { headers: { 'content-type': 'audio/wav' }, body: 'RIFF' });
    expect((await modelsvc(['audio', 'speak', 'hello', '-O', join(home, 'x.wav'), '--force'])).code).toBe(0);
    expect(await readFile(join(home, 'real.wav'), 'utf8')).toBe('RIFF');
  });
});
