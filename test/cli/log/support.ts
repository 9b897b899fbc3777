// Entries of the log for tests, and the folder that has them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LogEntry, lineOf, newId } from '../../../src/cli/log/entry.ts';
import { append } from '../../../src/cli/log/segments.ts';

export function entry(fields: Partial<LogEntry> = {}, texts: Partial<LogEntry['text']> = {}): LogEntry {
  const time = fields.time ?? '2026-11-02T10:00:00.000Z';
  return {
    v: 1,
    id: newId(new Date(time)),
    time,
    command: 'chat',
    model: 'glm-5.3',
    ...fields,
    text: { prompt: 'Why is the sky blue?', answer: 'Air scatters light.', ...texts },
  };
}

/** The log of a home folder, for processes whose state is in `.state`. */
export function logOf(home: string): string {
  return join(home, '.state', 'modelsvc', 'log');
}

export async function addAll(folder: string, entries: readonly LogEntry[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const one of entries) append(folder, one.time.slice(0, 7), lineOf(one));
}

export async function newLog(...entries: readonly LogEntry[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await addAll(folder, entries);
  return folder;
}
