import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const overlay = new URL('../../src/overlay/', import.meta.url).pathname;

/** The rooms from the bottom up: a file imports from its own line or from lines above it. */
const levels: readonly (readonly string[])[] = [
  ['platform', 'version'],
  ['errors'],
  ['hooks'],
  ['context'],
  ['config'],
  ['transport', 'validation', 'tool-schema', 'concurrency'],
  ['surfaces'],
  ['call'],
  ['streams', 'files', 'monitor'],
  ['batch', 'tools'],
  ['services'],
  ['client'],
  ['index'],
];

const files = sources(overlay);

describe('imports inside the library', () => {
  test('no room imports from one above it', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => levelOf(target) > levelOf(file))
        .map((target) => `${name(file)} → ${name(target)}`),
    );
    expect(upward).toEqual([]);
  });

  test('rooms of one level do not import each other', () => {
    const sideways = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => levelOf(target) === levelOf(file) && roomOf(target) !== roomOf(file))
        .map((target) => `${name(file)} → ${name(target)}`),
    );
    expect(sideways).toEqual([]);
  });

  test('no circle between files', () => {
    expect(circles()).toEqual([]);
  });

  test('the top level has at most 20 entries, and each is in the list of levels', () => {
    const entries = readdirSync(overlay);
    expect(entries.length).toBeLessThanOrEqual(20);
    expect(entries.map((entry) => entry.replace(/\.ts$/, '')).sort()).toEqual([...levels.flat()].sort());
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder)
    .map((entry) => join(folder, entry))
    .flatMap((path) => (statSync(path).isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : []));
}

/** The overlay files that a file imports; type imports count, since a reader follows them too. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => resolve(dirname(file), specifier))
    .filter((path) => path.startsWith(overlay));
}

function name(file: string): string {
  return relative(overlay, file);
}

function roomOf(file: string): string {
  return name(file).split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

function levelOf(file: string): number {
  return levels.findIndex((rooms) => rooms.includes(roomOf(file)));
}

/** Each circle once, from its first file in the order of names. */
function circles(): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const circle = path.slice(at).map(name);
      const first = circle.indexOf([...circle].sort()[0] ?? '');
      found.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of importsOf(file)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return [...found];
}
