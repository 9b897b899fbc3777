import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshBuild, isStale } from '../support/fresh-build.ts';

const sources = ['src/cli/main.ts', 'scripts/build.ts', 'tsdown.config.ts', 'tsconfig/build.json', 'package.json'];
const program = 'dist/cli/program.js';

/** A project whose sources are of minute 0 and whose build is of minute 1, if there is one. */
function project(isBuilt = true): { readonly root: string; change(file: string, minute: number, text?: string): string } {
  const root = mkdtempSync(join(tmpdir(), 'modelsvc-build-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const change = (file: string, minute: number, text = ''): string => {
    const path = join(root, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    for (let one = path; one !== root; one = join(one, '..')) utimesSync(one, 60 * minute, 60 * minute);
    return path;
  };
  for (const source of sources) change(source, 0);
  if (isBuilt) change(program, 1);
  return { root, change };
}

test('a build is stale if it is missing, or if a source or an input of the build is newer', () => {
  expect(isStale(project(false).root)).toBe(true);
  expect(isStale(project().root)).toBe(false);
  for (const source of sources) {
    const { root, change } = project();
    change(source, 2);
    expect([source, isStale(root)]).toEqual([source, true]);
  }
});

test('a deleted source makes the build stale', () => {
  const { root, change } = project();
  rmSync(change('src/cli/gone.ts', 0));
  expect(isStale(root)).toBe(true);
});

test.each([
  ["import { start } from './support/run.ts';", 1],
  ["import { newClient } from 'modelsvc';", 1],
  ["import { mcpTools } from 'modelsvc/mcp';", 1],
  ["const file = new URL('../../dist/index.js', import.meta.url);", 1],
  ["import { pointerOf } from '../../src/overlay/json/pointer.ts';", 0],
])('a run of a file with %s builds a stale program %i times', (text, times) => {
  const { root, change } = project();
  const file = change('test/one.test.ts', 0, text);
  let builds = 0;
  const build = (): void => void builds++;
  freshBuild(root, [file], build);
  expect(builds).toBe(0);
  change('src/cli/main.ts', 2);
  freshBuild(root, [file], build);
  expect(builds).toBe(times);
});
