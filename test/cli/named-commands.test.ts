// A command that an advice, a help text or a page names is one of the table.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { type CommandSpec, loadAll } from '../../src/cli/table/spec.ts';

const root = new URL('../../', import.meta.url);
const specs = await loadAll(sections);

/** The lines of a command line, each with its place. */
function* namedIn(folder: string, ending: RegExp): Generator<readonly [place: string, words: readonly string[]]> {
  for (const file of readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })) {
    if (!ending.test(file)) continue;
    const text = readFileSync(new URL(folder + file, root), 'utf8');
    for (const [, line = ''] of text.matchAll(/(?:`|^|\$ |npx )modelsvc ((?:[a-z][\w-]*[ `])+)/gm))
      yield [folder + file, line.split(/[ `]/).filter(Boolean)];
  }
}

/** True if the words begin with a command; further ones may be its arguments. */
function isCommand(words: readonly string[], known: readonly CommandSpec[]): boolean {
  const [first, ...rest] = words;
  const spec = known.find(({ name, aliases = [] }) => first !== undefined && [name, ...aliases].includes(first));
  if (!spec) return false;
  return spec.commands === undefined || rest.length === 0 || spec.load !== undefined || isCommand(rest, spec.commands);
}

test.each([
  ['src/cli/', /\.ts$/],
  ['docs/', /^(?!internals|decisions).*\.md$/],
])('every command that is named in %s is in the table', (folder, ending) => {
  const named = [...namedIn(folder, ending)];
  expect(named.length).toBeGreaterThan(30);
  const lost = named.filter(([, words]) => !isCommand(words, specs));
  expect(lost).toEqual([]);
});
