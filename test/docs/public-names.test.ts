import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entries } from '../../scripts/entries.ts';
import { faults } from '../../src/testing/index.ts';
import { pages, root, sourcesBelow, textOf } from './snippets.ts';

// A public name that no page has and no other entry needs is a needless promise.

/** Pages that a user reads and a person writes. */
const read = pages().filter((page) => !/^docs\/internals\/|^CONTRIBUTING|^docs\/decisions/.test(page) && !/^<!-- Generated/m.test(textOf(page)));

/** Code of these pages without their generated parts, and the examples. */
const shown = [
  ...read.flatMap(
    (page) =>
      textOf(page)
        .replace(/<!-- generated:[\s\S]*?<!-- \/generated -->/g, '')
        .match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [],
  ),
  ...sourcesBelow('examples').map(textOf),
].join('\n');

const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

/** The imports of the other entries. The command line alone is not a reader: what only it needs belongs to it. */
const others = sourcesBelow('src')
  .filter((file) => !/^src\/(overlay|cli|generated)\//.test(file))
  .map((file) => ({ room: file.split('/')[1], imports: (textOf(file).match(/^import [^;]*;/gm) ?? []).join('\n') }));

const services = readdirSync(`${root}src/overlay/services`).map((file) => textOf(`src/overlay/services/${file}`));
const isService = (name: string): boolean => services.some((text) => text.includes(`export class ${name} {`));

/** Names with another reason. */
const reasons: readonly (readonly [reason: string, isMeant: (name: string) => boolean])[] = [
  ['the classes of services are for newService, whose page has one', isService],
  ['the contract asks for it', (name) => has(textOf('docs/contract.md'), name)],
  ['constants of the contract, which its page has as a group', (name) => /^(FinishReason|ToolType)[A-Z]/.test(name)],
];

test.each(Object.entries(entries))('each name of %s is on a page that a person wrote, or another entry imports it', async (_entry, file) => {
  const own = file.split('/')[1];
  const names = Object.keys((await import(`${root}${file}`)) as object);
  const lost = names.filter((name) => !has(shown, name) && !others.some(({ room, imports }) => room !== own && has(imports, name)));
  expect(lost.filter((name) => !reasons.some(([, isMeant]) => isMeant(name)))).toEqual([]);
});

test('each fault of the menu is on such a page, or used beyond the tests of the fake', () => {
  const tests = [...sourcesBelow('test'), ...sourcesBelow('scripts')]
    .filter((file) => !file.startsWith('test/testing/'))
    .map(textOf)
    .join('\n');
  const names = Object.keys(faults);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !has(shown, `faults\\.${name}`) && !has(tests, `faults\\.${name}`))).toEqual([]);
});

test('the pages are read', () => {
  expect(read.filter((page) => page.startsWith('docs/guides/')).length).toBeGreaterThan(25);
  expect(existsSync(`${root}docs/api.md`) && !read.includes('docs/api.md')).toBe(true);
});
