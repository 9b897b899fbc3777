import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readRecordings, recordedSource, recordingsOf, succeeded } from '../../scripts/generate/claims/recordings.ts';
import { modelsFile } from '../../scripts/generate/code/models.ts';
import { type Operation, readOperations } from '../../scripts/generate/document/operations.ts';
import { type JsonObject, type Source, SpecError, sourceOf } from '../../scripts/generate/document/source.ts';
import { compile, generate, loadSpec } from '../../scripts/generate.ts';
import { programOutcome } from '../support/child.ts';
import { fileNames, type Part, parts, project, small, texts } from '../support/small-spec.ts';
import { failureOf } from '../support/spec.ts';
import { newFolder } from '../support/storage.ts';

const freshSmall = await compile(small);

/** A copy of the small spec with what is generated from it. */
async function temporaryTree(): Promise<string> {
  const root = await newFolder();
  await mkdir(join(root, 'spec'));
  for (const part of parts) await writeFile(join(root, 'spec', fileNames[part]), texts[part]);
  for (const [path, text] of freshSmall) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  /** Lines of standard error. */
  readonly complaints: string[];
}

/** The script as a process, as `npm run generate` runs it. */
async function run(root: string, ...flags: string[]): Promise<Run> {
  const { code, stdout, stderr } = await programOutcome('scripts/generate.ts', ['--root', root, ...flags], { isBundled: false });
  return { code, out: stdout, complaints: stderr.split('\n').filter((line) => line !== '') };
}

/** Every file below `root` with its content and the time of its last change. */
async function snapshot(root: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path, `${(await stat(path)).mtimeMs} ${await readFile(path, 'utf8')}`);
  }
  return files;
}

describe('the generator', () => {
  it('finds no stale file in a copy of this tree: the bytes are the same every time, and in every place', async () => {
    const root = await newFolder();
    for (const folder of ['spec', 'docs', 'src/generated']) await cp(join(project, folder), join(root, folder), { recursive: true });
    expect(await generate(root, true)).toMatchObject({ complaints: [], summary: expect.stringContaining(' 0 stale') });
  });

  it('writes an empty tree completely, and a second run writes no file', async () => {
    const root = await temporaryTree();
    await rm(join(root, 'src'), { recursive: true });
    await rm(join(root, 'docs'), { recursive: true });
    expect((await generate(root, false)).complaints).toEqual([]);
    for (const [path, text] of freshSmall) expect(await readFile(join(root, path), 'utf8'), path).toBe(text);
    const before = await snapshot(root);
    expect((await generate(root, false)).summary).toContain(' 0 written');
    expect(await snapshot(root)).toEqual(before);
  });

  it('--check names each file that is stale, missing or not generated, and writes no file', async () => {
    const root = await temporaryTree();
    await writeFile(join(root, 'src/generated/codes.ts'), 'export {};\n');
    await rm(join(root, 'docs/evidence.md'));
    await writeFile(join(root, 'src/generated/leftover.ts'), 'export {};\n');
    // An older layout.
    await mkdir(join(root, 'src/generated/validators'));
    await writeFile(join(root, 'src/generated/validators/gone.ts'), 'export {};\n');
    const before = await snapshot(root);
    const { code, complaints } = await run(root, '--check');
    expect(code).toBe(1);
    expect(complaints).toEqual([
      'stale: src/generated/codes.ts (run: npm run generate)',
      'stale: docs/evidence.md (run: npm run generate)',
      'not generated: src/generated/leftover.ts (delete it)',
      'not generated: src/generated/validators/gone.ts (delete it)',
    ]);
    expect(await snapshot(root)).toEqual(before);
    const said: string[] = [];
    await generate(root, false, (line) => said.push(line));
    expect(said).toEqual(['deleted: src/generated/leftover.ts (not generated)', 'deleted: src/generated/validators/gone.ts (not generated)']);
    expect(await run(root, '--check')).toMatchObject({ code: 0, complaints: [], out: expect.stringContaining(' 0 stale') });
  });

  it.each([
    ['a folder in place of a file', 'docs/api.md', (path: string) => mkdir(path)],
    ['a file in place of a folder', 'src/generated', (path: string) => writeFile(path, 'no folder')],
  ])('replaces all files or none: %s', async (_what, place, block) => {
    const root = await temporaryTree();
    for (const path of freshSmall.keys()) if (path.startsWith('docs/')) await writeFile(join(root, path), 'old');
    await rm(join(root, place), { recursive: true });
    await block(join(root, place));
    const before = await snapshot(root);
    const error = await failureOf(() => generate(root, false));
    expect(error).toBeInstanceOf(SpecError);
    expect((error as Error).message).toMatch(/^\S+: cannot be written \(E[A-Z]+\); no file is changed$/);
    expect([...(await snapshot(root))].map(([path, text]) => [path, text.slice(text.indexOf(' '))])).toEqual(
      [...before].map(([path, text]) => [path, text.slice(text.indexOf(' '))]),
    );
  });

  it('a bad flag is one line', async () => {
    const { code, complaints, out } = await run(await newFolder(), '--chek');
    expect({ code, lines: complaints.length, out }).toEqual({ code: 1, lines: 1, out: '' });
  });
});

/** The error of compiling the small spec with another text of one part, and the lines of that text. */
async function compileBroken(part: Part, text: string): Promise<{ error: unknown; lines: string[] }> {
  expect(text).not.toBe(texts[part]);
  return { error: await failureOf(async () => compile({ ...small, [part]: sourceOf(fileNames[part], text) })), lines: text.split('\n') };
}

function pointOf(error: unknown, file: string): { line: number; column: number; rest: string } {
  expect(error).toBeInstanceOf(SpecError);
  const { message } = error as Error;
  const [, name, line, column, rest] = /^(\S+):(\d+):(\d+): ([^\n]+)$/.exec(message) ?? [];
  expect(name, message).toMatch(new RegExp(`${file.replace('.', '\\.')}$`));
  return { line: Number(line), column: Number(column), rest: rest ?? '' };
}

describe('a broken spec is one line with its place', () => {
  it.each([
    ['a bracket that is never closed', (text: string) => text.replace('tags: [chat]', 'tags: [chat'), 'summary:'],
    [
      'a key twice',
      (text: string) => text.replace('      operationId: chat.create\n', '      operationId: chat.create\n      operationId: chat.again\n'),
      'chat.again',
    ],
    [
      'a tab as indent',
      (text: string) => text.replace('      operationId: chat.create\n', '\toperationId: chat.create\n'),
      'operationId: chat.create',
    ],
  ])('YAML with %s', async (_what, change, line) => {
    const { error, lines } = await compileBroken('openapi', change(texts.openapi));
    expect(lines[pointOf(error, 'openapi.yaml').line - 1]).toContain(line);
  });

  it('a file that is not there', async () => {
    const error = await failureOf(async () => loadSpec(await newFolder()));
    expect(error).toBeInstanceOf(SpecError);
    expect((error as Error).message).toMatch(/^\S+models\.yaml: cannot be read$/);
  });

  it('a word of a list of models that no model has', async () => {
    const root = await temporaryTree();
    const text = texts.openapi.replace('      operationId: chat.create\n', '      x: [a] # models.yaml: chats\n      operationId: chat.create\n');
    await writeFile(join(root, 'spec/openapi.yaml'), text);
    const error = await failureOf(() => loadSpec(join(root, 'spec')));
    expect((error as Error).message).toBe('spec/openapi.yaml: # models.yaml: chats: no model has this word in listed');
  });

  it('the script prints that line alone, fails, and writes no file', async () => {
    const root = await temporaryTree();
    const spec = join(root, 'spec/openapi.yaml');
    const text = await readFile(spec, 'utf8');
    // The tree is stale as well, so that a run that began to write would show.
    await writeFile(
      spec,
      text
        .replace('summary: Create a chat completion.', 'summary: Answer a talk.')
        .replace('operationId: chat.createAsync', 'operationId: chat.create'),
    );
    const before = await snapshot(root);
    const { code, complaints, out } = await run(root);
    expect(code).toBe(1);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/openapi\.yaml:\d+:\d+: paths > \/async\/chat\/completions > post > operationId: /);
    expect(out).toBe('');
    expect(await snapshot(root)).toEqual(before);
  });
});

describe('the claims', () => {
  it('keep their ids, places and values when rows move', async () => {
    const reversed = (part: Part, ...lists: string[]): Source => {
      const value = parse(texts[part]) as Record<string, unknown[]>;
      const moved = lists.map((list) => [list, [...(value[list] ?? [])].reverse()]);
      return sourceOf(fileNames[part], stringify({ ...value, ...Object.fromEntries(moved) }));
    };
    const moved = { ...small, models: reversed('models', 'models', 'services'), codes: reversed('codes', 'codes') };
    expect((await compile(moved)).get('docs/evidence.json')).toBe(freshSmall.get('docs/evidence.json'));
  });

  it('date a recorded field by the newest file that has it, one exchange or a list', async () => {
    const folder = await newFolder();
    const exchange = (date: object, body: object): object => ({
      request: { method: 'GET', path: '/api/paas/v4/files?page=1' },
      response: { status: 200, headers: date, body },
    });
    const body = { object: 'list', data: [] };
    await writeFile(join(folder, 'one.json'), JSON.stringify(exchange({ date: 'Fri, 10 Jul 2026 23:00:15 GMT' }, body)));
    await writeFile(
      join(folder, 'two.json'),
      JSON.stringify({ confirm: { date: '2026-11-20' }, exchanges: [exchange({}, body), exchange({}, { error: { code: '1113' } })] }),
    );
    await writeFile(join(folder, 'undated.json'), JSON.stringify(exchange({}, body)));
    const [list] = readOperations(small.openapi).filter(({ id }) => id === 'files.list');
    const found = recordingsOf(small.openapi, list as Operation, await readRecordings(folder));
    expect(found.map(({ file, date }) => `${file} ${date}`)).toEqual([
      'one.json 2026-07-10',
      'two.json 2026-11-20',
      'two.json 2026-11-20',
      'undated.json undefined',
    ]);
    expect(found.map(succeeded)).toEqual([true, true, false, true]);
    expect(recordedSource(found)).toEqual(['recording two.json 2026-11-20']);
  });
});

describe('the catalogue', () => {
  /** The row of a model with these claims of prices. */
  function rowOf(prices: JsonObject[]): { readonly price?: object; readonly source: string[] } {
    const model = { id: 'm', kind: 'chat', evidence: 'reported', source: ['list 2026-10', 'list 2026-10-09'], prices };
    const text = modelsFile({ ...small.models, value: { ...small.models.value, models: [model] } });
    return JSON.parse(/^ {2}(\{"id":"m".*\}),$/m.exec(text)?.[1] ?? '');
  }
  const claim = (input: number, output: number, source: string): JsonObject => ({ input, output, evidence: 'documented', source: [source] });

  it('has no price where some sources list the model at 0 and others do not, whichever comes first', () => {
    const free = claim(0, 0, 'page 2026-11');
    const paid = claim(1, 2, 'table 2026-07-01');
    for (const prices of [
      [free, paid],
      [paid, free],
      [paid, claim(3, 4, 'page 2026-09'), free],
    ]) {
      expect(rowOf(prices)).not.toHaveProperty('price');
      expect(rowOf(prices).source).toEqual(['list 2026-10', 'list 2026-10-09']);
    }
    expect(rowOf([free, claim(0, 0, 'table 2026-07-01')]).price).toEqual({ input: 0, output: 0 });
    // A price of 0 for one kind of token is not a dispute.
    expect(rowOf([paid, claim(0, 2, 'page 2026-09')]).price).toEqual({ input: 1, output: 2 });
  });

  it('has the sources of the id and of the price that counts', () => {
    expect(rowOf([claim(1, 2, 'page 2026-09'), claim(3, 4, 'table 2026-11-30')]).source).toEqual(['list 2026-10', 'list 2026-10-09', 'page 2026-09']);
  });
});

it('a new model is one row: the lists of the document get it from there', async () => {
  const root = await newFolder();
  await cp(join(project, 'spec'), join(root, 'spec'), { recursive: true });
  const models = await readFile(join(root, 'spec/models.yaml'), 'utf8');
  const [row = ''] = /^ {2}- id: glm-5\.3\n(?: {4}.*\n)+/m.exec(models) ?? [];
  await writeFile(join(root, 'spec/models.yaml'), models.replace(row, row.replace('glm-5.3', 'glm-0') + row));
  const { openapi } = await loadSpec(join(root, 'spec'));
  expect(openapi.text.match(/\[glm-0, .*\] # models\.yaml: \w+$/gm)?.map((line) => line.split(': ').at(-1))).toEqual([
    'chat',
    'limited',
    'async',
    'messages',
    'messages',
    'responses',
  ]);
});
