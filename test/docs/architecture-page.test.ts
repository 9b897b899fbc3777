import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './snippets.ts';

function entriesOf(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).map((one) => (one.isDirectory() ? `${one.name}/` : one.name));
}

describe('the page on architecture', () => {
  const page = textOf('docs/architecture.md');

  it.each(['src/overlay', 'src/testing', 'src'])('names every room of %s', (folder) => {
    const rooms = entriesOf(folder);
    expect(rooms.length).toBeGreaterThan(3);
    expect(rooms.filter((name) => !page.includes(folder === 'src' ? `─ ${name} ` : `\`${name}\``))).toEqual([]);
  });

  it('names only files that exist', () => {
    const named = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, path = '']) => path);
    const isThere = (path: string): boolean => existsSync(root + path) || existsSync(`${root}src/overlay/${path}`);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});

describe('the page on tests', () => {
  const page = textOf('docs/internals/testing.md');

  it('names every folder of tests, every support file, and no test file that does not exist', () => {
    const named = entriesOf('test').concat(entriesOf('test/support').filter((name) => name.endsWith('.ts')));
    expect(named.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const files = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, path = '']) => path);
    expect(files.filter((path) => !existsSync(root + path) && !existsSync(`${root}test/${path}`))).toEqual([]);
  });
});
