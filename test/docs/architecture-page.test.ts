import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './snippets.ts';

describe('the page on architecture', () => {
  const page = textOf('docs/architecture.md');

  it.each(['src/overlay', 'src'])('names every room of %s', (folder) => {
    const rooms = readdirSync(`${root}${folder}`, { withFileTypes: true }).map((one) => (one.isDirectory() ? `${one.name}/` : one.name));
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
