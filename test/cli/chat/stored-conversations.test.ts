import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, ends, newHome, run } from '../support/in-process.ts';

const trip = {
  version: 1,
  surface: 'chat',
  model: 'glm-5.3',
  system: 'Be brief',
  messages: [
    { role: 'user', content: 'Where to?' },
    { role: 'assistant', content: [{ type: 'text', text: 'Nor' }] },
  ],
  stopped: true,
  name: 'trip',
  id: 'c1',
};

async function withStored(files: Readonly<Record<string, unknown>>): Promise<{ folder: string; conversations(...args: string[]): Promise<Ended> }> {
  const home = await newHome();
  const folder = join(home, '.state', 'modelsvc', 'conversations');
  await mkdir(folder, { recursive: true });
  for (const [name, value] of Object.entries(files)) await writeFile(join(folder, name), `${JSON.stringify(value)}\n`);
  return { folder, conversations: (...args) => run(['conversations', ...args], { env: { HOME: home, TZ: 'UTC' } }) };
}

describe('conversations', () => {
  it('list marks the last one and the stopped one; one of a newer version is named, never called broken', async () => {
    const { folder, conversations } = await withStored({ 'named-trip.json': trip, 'last.json': trip, 'named-later.json': { version: 2, turns: [] } });
    const { stdout, stderr, code } = await conversations('list');
    expect(stdout).toMatch(/^\*\ttrip\tchat\tglm-5\.3\t2\t\d{4}-\d\d-\d\d \d\d:\d\d\tstopped\n$/);
    expect([stderr, code]).toEqual([`modelsvc: ${join(folder, 'named-later.json')} was written by a newer modelsvc (version 2)\n`, 0]);
  });

  it('show prints the last one or the named one, with the mark of a stopped answer', async () => {
    const { conversations } = await withStored({ 'last.json': trip });
    expect((await conversations('show')).stdout).toBe('[system]\nBe brief\n\n[user]\nWhere to?\n\n[assistant]\nNor\n\n(stopped)\n');
    expect(await conversations('show', 'trip')).toMatchObject(ends(4, 'no conversation named trip'));
  });

  it('rename takes the last one along, and never replaces another', async () => {
    const { folder, conversations } = await withStored({
      'named-trip.json': trip,
      'last.json': trip,
      'named-other.json': { ...trip, name: 'other' },
    });
    expect(await conversations('rename', 'trip', 'other')).toMatchObject(ends(2, 'named other already'));
    expect(await conversations('rename', 'trip', 'norway')).toEqual({ stdout: 'Renamed conversation trip to norway.\n', stderr: '', code: 0 });
    expect((await readdir(folder)).sort()).toEqual(['last.json', 'named-norway.json', 'named-other.json']);
    for (const name of ['last.json', 'named-norway.json'])
      expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toEqual({ ...trip, name: 'norway' });
  });

  it('rm removes a name with its copy as the last one, all names or none', async () => {
    const { folder, conversations } = await withStored({ 'named-trip.json': trip, 'last.json': trip, 'named-new.json': { version: 2 } });
    expect(await conversations('rm', 'trip')).toMatchObject(ends(2, /^modelsvc: Remove trip\?\n/));
    expect(await conversations('rm', 'trip', 'nope', '--yes')).toMatchObject({ code: 4 });
    expect(await readdir(folder)).toHaveLength(3);
    expect(await conversations('rm', 'trip', 'new', '--yes')).toEqual({ stdout: 'Removed trip, new.\n', stderr: '', code: 0 });
    expect(await readdir(folder)).toEqual([]);
    expect(await conversations('rm', '--last', '--yes')).toMatchObject({ code: 4 });
  });
});
