import { describe, expect, it } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { commandHelp, type HelpPage, meaningOf, pipePage, programHelp, wholeHelp } from '../../src/cli/table/help.ts';
import { type CommandSpec, groupsOf, loadAll, type OptionSpec } from '../../src/cli/table/spec.ts';
import { modelOptions } from '../../src/cli/talk/options.ts';
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
  it('of the program has a line with the meaning of each group but shortcuts, then the common options', () => {
    const page = programHelp(sections, pipePage);
    for (const { name, summary, isShortcut = false } of groupsOf(sections))
      expect(new RegExp(`^ {2}${name} +(.*)$`, 'm').exec(page)?.[1], name).toBe(isShortcut ? undefined : summary);
    const named = [...page.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
    expect(named).toEqual(['--json', '--dry-run', '--account', '--base-url', '--debug']);
  });

  it.each(all.filter(({ spec }) => spec.load).map((one) => [one.path.join(' '), one] as const))(
    'of %s has at most a few lines before its examples, and its rules after the options',
    (_, { path, spec }) => {
      const text = commandHelp(spec, path, pipePage);
      expect(text.split('\nExamples:')[0]?.trim().split('\n').length).toBeLessThanOrEqual(path[0] === 'map' || path[0] === 'chat' ? 4 : 20);
      for (const [heading] of spec.rules ?? []) expect(text.indexOf(`\n${heading}:\n`)).toBeGreaterThan(text.indexOf('\nOptions:'));
    },
  );

  it('of --effort names what a model does without it, then the levels', () => {
    expect(meaningOf(modelOptions.find(({ name }) => name === 'effort') as OptionSpec)).toBe(
      'Thinking depth; without it, glm-5.2 and later use max. Levels: off, low, medium, high, max',
    );
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
