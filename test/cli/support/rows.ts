// Runs of `map` on a file of rows, against the fake service.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeRequest, FakeService } from 'modelsvc/testing';
import { expect } from 'vitest';
import { newHome, type RunOptions, withFake } from './in-process.ts';

export interface Line {
  readonly index: number;
  readonly hash: string;
  readonly output?: unknown;
  readonly error?: { readonly message: string };
}

export const parsed = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

export const prompts = (fake: FakeService): unknown[] =>
  fake.requests.map(({ body }) => (body as { messages: { content: unknown }[] }).messages.at(-1)?.content);

export async function withRows(rows: number): Promise<
  Awaited<ReturnType<typeof withFake>> & {
    cwd: string;
    map(...args: string[]): ReturnType<Awaited<ReturnType<typeof withFake>>['modelsvc']>;
    mapWith(options: RunOptions, ...args: string[]): ReturnType<Awaited<ReturnType<typeof withFake>>['modelsvc']>;
    results(): Promise<Line[]>;
  }
> {
  const fake = await withFake();
  const cwd = await newHome();
  await writeFile(join(cwd, 'rows.txt'), Array.from({ length: rows }, (_, at) => `row ${at}\n`).join(''));
  fake.fake.fallback('chat.create', ({ body }) => ({
    turn: { text: `re ${(body as { messages: { content: string }[] }).messages.at(-1)?.content}` },
  }));
  const mapWith = (options: RunOptions, ...args: string[]) => fake.modelsvc(['map', 'T {line}', 'rows.txt', ...args], { ...options, cwd });
  return {
    ...fake,
    cwd,
    mapWith,
    map: (...args) => mapWith({}, ...args),
    results: async () => parsed(await readFile(join(cwd, 'out.jsonl'), 'utf8')),
  };
}

/** The summary of a run with usage: its counts, then tokens and cost. `rest` follows, for instance the failures by reason. */
export const summary = (counts: string, rest = ''): string =>
  expect.stringMatching(new RegExp(`^${counts}; [\\d,]+ tokens in, [\\d,]+ out, about \\$[\\d.]+\n${rest}$`)) as string;

/** Waits until the fake has received a number of requests. */
export async function untilRequests(fake: FakeService, count: number): Promise<void> {
  while (fake.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits until the fake, or a process, has come so far. */
export async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Number of the row of a request. */
export const rowOf = ({ body }: FakeRequest): number =>
  Number(/row (\d+)/.exec((body as { messages: { content: string }[] }).messages.at(-1)?.content ?? '')?.[1]);

/** The rows whose answers the fake has sent completely. */
export const answeredRows = (fake: FakeService): number[] =>
  fake.requests
    .filter(({ outcome }) => outcome === 'answered')
    .map(rowOf)
    .sort((a, b) => a - b);
