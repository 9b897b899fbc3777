// Every function that the package exports, over values that no caller should pass: an error of the package, which names the function.
import { describe, expect, test } from 'vitest';
import * as debug from '../../src/debug/index.ts';
import * as fetchEntry from '../../src/fetch/index.ts';
import * as mcp from '../../src/mcp/index.ts';
import * as monitor from '../../src/monitor/index.ts';
import * as node from '../../src/node/index.ts';
import * as observe from '../../src/observe/index.ts';
import * as library from '../../src/overlay/index.ts';
import { ChatAccumulator } from '../../src/overlay/streams/chat-accumulator.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

const broken = { [Symbol.asyncIterator]: () => ({}) };
const odd: readonly unknown[] = [
  ...[undefined, null, 0, Number.NaN, '', 'x', true, 10n, Symbol('s'), () => 1, [], [null], {}, Object.create(null), new Date(Number.NaN)],
  ...[new Map(), new ChatAccumulator(), { [Symbol.asyncIterator]: 1 }, broken, { at: new Date() }],
];

/** Errors of the file system, whose paths are checked by the system. */
const ofFiles = /^(ENOENT|EISDIR|EACCES|EEXIST|ENOTDIR)/;

async function outcome(call: () => unknown): Promise<unknown> {
  try {
    const result = call();
    if (result instanceof Promise) await result;
    else if (typeof result === 'object' && result !== null && 'next' in result) await (result as AsyncIterator<unknown>).next();
    return undefined;
  } catch (error) {
    return error;
  }
}

const functions = Object.entries({ library, fetchEntry, mcp, node, debug, observe, monitor }).flatMap(([entry, names]) =>
  Object.entries(names as Record<string, unknown>)
    .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value)))
    .map(([name, value]) => [`${entry}.${name}`, value as (...given: unknown[]) => unknown] as const),
);

test.each(functions)('%s', async (_name, call) => {
  const foreign = new Set<string>();
  for (const first of odd)
    for (const second of odd) {
      const error = await outcome(() => call(first, second));
      if (error === undefined || library.isModelsvcError(error) || ofFiles.test(String((error as { code?: unknown }).code))) continue;
      foreign.add(String(error));
    }
  expect([...foreign]).toEqual([]);
});

describe('the error names the function and the path', () => {
  const usage = { total_tokens: 1 };
  test.each<[string, () => unknown]>([
    ['toSSE: stream must be', () => library.toSSE(broken as never)],
    ['collect: stream must be', () => library.collect(undefined as never)],
    ['collecting: stream must be', () => library.collecting(7 as never)],
    ['textDeltas: stream must be', () => library.textDeltas(null as never)],
    ['estimateCredits: at must be a valid Date', () => monitor.estimateCredits('glm-5.3', usage, { at: new Date() } as never)],
    ['peakHours: now must be a valid Date', () => monitor.peakHours(new Date(Number.NaN))],
    ['download: result ', () => node.download({ [Symbol.asyncIterator]: 1 } as never, '/tmp/none')],
    ['fileFromPath: path must be', () => node.fileFromPath(7 as never)],
    ['mcpTools: client must be', () => mcp.mcpTools({} as never)],
    ['must be an object of options', () => fetchEntry.serviceFetch(library.newClient({ apiKey: 'key-of-the-test' }) as never)],
  ])('%s', async (words, call) => {
    const error = await outcome(call);
    expect(library.isModelsvcError(error)).toBe(true);
    expect((error as Error).message).toContain(words);
  });

  test.each([undefined, () => 1, Symbol('s'), 10n])('an item of toSSE that is not JSON is an error event: %s', async (item) => {
    const told: unknown[] = [];
    const items = (async function* () {
      yield item;
    })();
    const text = await new Response(library.toSSE(items, { onError: (error) => void told.push(String(error)) })).text();
    expect(text).toMatch(/^event: error\ndata: \{/);
    expect(told).toEqual([expect.stringContaining('toSSE: an item of the stream cannot be written as JSON')]);
  });

  test('a nested value in a query', async () => {
    const { fake } = await openFake();
    const client = library.newClient(fake.configFor());
    for (const value of [{ a: { b: 1 } }, [[1]], [{}], () => 1, Symbol('s')]) {
      const query = { after: 'b', odd: value } as never;
      for (const call of [client.batch().list(undefined, query), client.files().list(undefined, { purpose: 'batch', odd: value } as never)])
        expect(await failure(call)).toMatchObject({ kind: 'validation', path: 'odd', problem: 'must be text, a number, true or false' });
    }
    expect(fake.requests).toHaveLength(0);
  });
});
