import { describe, expect, it } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { commandHelp, type HelpPage, pipePage, programHelp, wholeHelp } from '../../src/cli/table/help.ts';
import { type CommandSpec, groupsOf, loadAll } from '../../src/cli/table/spec.ts';
import { commandWords } from '../../src/cli/talk/words.ts';

interface Entry {
  readonly path: readonly string[];
  readonly spec: CommandSpec;
}

function entries(spec: CommandSpec, above: readonly string[] = []): Entry[] {
  const path = [...above, spec.name];
  return [{ path, spec }, ...(spec.commands ?? []).flatMap((one) => entries(one, path))];
}

const all = (await loadAll(sections)).flatMap((spec) => entries(spec));
const examples = all.flatMap(({ spec }) => spec.examples.map(([line]) => line));

describe('help', () => {
  it('of the program fits a screen of 24 lines with 80 columns, prompt included, and names every group but shortcuts', () => {
    const page = programHelp(sections, pipePage);
    expect(page.split('\n').length).toBeLessThanOrEqual(24);
    for (const { name, isShortcut = false } of groupsOf(sections)) expect(new RegExp(`[ ,]${name}(,|\\n)`).test(page), name).toBe(!isShortcut);
  });

  const onTerminal = (width: number): HelpPage => ({ width, bold: (text) => `*${text}*` });
  it.each([40, 60, 80, 100])('fits %i columns, with bold heads', (width) => {
    const page = onTerminal(width);
    const texts = [programHelp(sections, page), wholeHelp(sections, page), ...all.map(({ path, spec }) => commandHelp(spec, path, page))];
    for (const text of texts) {
      expect(text).toMatch(/^\*Usage:\* /m);
      // Examples are to be copied. A word, such as a list of values, may be longer than the page.
      const tooWide = text.split('\n').filter((line) => line.length > width && !line.includes('modelsvc ') && / \S+ \S+$/.test(line.slice(2)));
      expect(tooWide).toEqual([]);
    }
  });

  it.each(all.map((one) => [one.path.join(' '), one] as const))('of %s is within 80 columns', (_, { path, spec }) => {
    const text = commandHelp(spec, path, pipePage);
    const [head = '', rest = ''] = text.split('\nUsage: ');
    // Lines of examples are to be copied, and stay whole.
    for (const line of [head.split('\nExamples:')[0] ?? '', rest].join('\n').split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('has one summary for a group, in the list and in its own file', async () => {
    const summaries = await Promise.all(
      groupsOf(sections).map(async ({ name, summary, load }) => [name, summary, (await load()).spec.name] as const),
    );
    for (const [name, summary, own] of summaries) {
      expect(own).toBe(name);
      expect(summary.length).toBeLessThanOrEqual(60);
    }
  });
});

describe('examples', () => {
  it('are there for every command', () => {
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter(({ spec }) => spec.examples.length === 0).map(({ path }) => path.join(' '))).toEqual([]);
  });

  it.each(examples)('%s is a command line of this program', async (line) => {
    const start = line.indexOf('modelsvc ');
    const command = start < 0 ? line : line.slice(start + 'modelsvc '.length);
    const words = commandWords('example', command.split(/ (?:\|\|?|>>?|<) /, 1)[0] ?? '');
    expect(await parse(words, sections)).toMatchObject({ kind: 'run' });
  });
});
