import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { factsOf } from '../../../src/cli/log/entry.ts';
import { LogReader } from '../../../src/cli/log/reader.ts';
import { removeLines } from '../../../src/cli/log/segments.ts';
import { bundled } from '../../support/child.ts';
import { newLog } from './support.ts';

/** Kills of each of the 8 lanes. */
const kills = Number(process.env['KILL_ROUNDS'] ?? 2);

it('8 writers that are killed by SIGKILL, during removals: no acknowledged entry is lost, none is mixed with another', async () => {
  const folder = await newLog();
  const program = bundled(`import '${new URL('writer.ts', import.meta.url)}';`);
  const acknowledged = { kept: new Set<string>(), removed: new Set<string>() };
  let running = 8;
  let onRound = (): void => undefined;
  const lane = async (): Promise<void> => {
    for (let round = 0; round <= kills; round++) {
      const isKilled = round < kills;
      const writer = spawn(process.execPath, [program, folder, isKilled ? '200' : '20'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = await acknowledgements(writer, isKilled ? 1 + Math.floor(Math.random() * 12) : undefined);
      for (const [model, id] of lines) acknowledged[model].add(id);
      if (round === kills) running--;
      onRound();
    }
  };
  const removals = async (): Promise<number> => {
    let count = 0;
    while (running > 0) {
      await new Promise<void>((resolve) => (onRound = resolve));
      const before = new Set(acknowledged.removed);
      await removeLines(folder, new AbortController().signal, (line) => factsOf(line)?.model === 'removed');
      const found = new Set([...new LogReader(folder).entries({ model: 'removed' }, 'newest first')].map(({ id }) => id));
      expect([...before].filter((id) => found.has(id))).toEqual([]);
      count++;
    }
    return count;
  };
  const [count] = await Promise.all([removals(), ...Array.from({ length: 8 }, lane)]);
  expect(count).toBeGreaterThan(1);

  const found = [...new LogReader(folder).entries({ model: 'kept' }, 'oldest first')];
  const ids = found.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...acknowledged.kept].filter((id) => !ids.includes(id))).toEqual([]);
  expect(found.filter(({ id, text }) => text.prompt !== id || text.answer.replaceAll(id, '') !== '')).toEqual([]);
  // A line that is not an entry is the beginning of one.
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n'))
      if (line !== '' && !factsOf(Buffer.from(line))) expect(line.slice(1)).not.toContain('{"v":1');
  expect(acknowledged.kept.size).toBeGreaterThan(8 * 10);
  if (process.env['KILL_ROUNDS'])
    console.log(`${8 * kills} kills, ${acknowledged.kept.size + acknowledged.removed.size} acknowledged, ${count} removals`);
});

/** The entries that a writer has acknowledged until its end. It is killed after some lines, in the middle of the next ones. */
async function acknowledgements(
  writer: ChildProcessByStdio<null, Readable, null>,
  limit = Number.POSITIVE_INFINITY,
): Promise<['kept' | 'removed', string][]> {
  let text = '';
  writer.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (text.split('\n').length > limit) writer.kill('SIGKILL');
  });
  await new Promise((resolve) => writer.on('close', resolve));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ') as ['kept' | 'removed', string]);
}
