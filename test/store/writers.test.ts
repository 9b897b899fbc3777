// Real processes, real kills: each way in which a kept file is changed.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { bundled } from '../support/child.ts';
import { newFolder } from './support.ts';

/** Kills of each lane. */
const kills = Number(process.env['KILL_ROUNDS'] ?? 3);
const lanes = 4;

function itemsIn(path: string): string[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { items: string[] }).items;
}

/** The items that a writer has acknowledged until its end. It is killed after some of them, at a random moment of the next ones. */
async function acknowledged(writer: ChildProcessByStdio<null, Readable, null>, limit?: number): Promise<string[]> {
  let text = '';
  writer.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (limit !== undefined && text.split('\n').length > limit) setTimeout(() => writer.kill('SIGKILL'), Math.random() * 10);
  });
  await new Promise((resolve) => writer.on('close', resolve));
  return text.split('\n').slice(0, -1);
}

test.each(['document', 'sync'])('%s: writers that are killed by SIGKILL lose no acknowledged change, and others go on at once', async (way) => {
  const path = join(await newFolder(), 'state', 'items.json');
  const program = bundled(`import '${new URL('writer.ts', import.meta.url)}';`);
  const start = (label: string, count: number): ChildProcessByStdio<null, Readable, null> =>
    spawn(process.execPath, [program, path, way, label, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const first = await acknowledged(start('first', 1));
  expect(first).toHaveLength(1);
  // A kill in the middle of a write leaves such a file.
  writeFileSync(join(dirname(path), '.items.json.0123456789ab.tmp'), 'half a text');
  const lane = async (name: string): Promise<string[]> => {
    const known: string[] = [];
    for (let round = 0; round < kills; round++) known.push(...(await acknowledged(start(`${name}-${round}`, 1000), 1 + Math.random() * 6)));
    return [...known, ...(await acknowledged(start(`${name}-last`, 5)))];
  };
  const known = (await Promise.all(Array.from({ length: lanes }, (_, at) => lane(`lane${at}`)))).flat();
  const items = itemsIn(path);
  expect([...first, ...known].filter((item) => !items.includes(item))).toEqual([]);
  expect(new Set(items).size).toBe(items.length);
  // A killed process may have written one more than it could acknowledge.
  expect(items.length).toBeLessThanOrEqual(1 + known.length + lanes * kills);
  expect(readdirSync(dirname(path))).toEqual(['items.json']);
  if (way === 'document') expect(statSync(path).mode & 0o777).toBe(0o600);
});
