import { describe, expect, it } from 'vitest';
import { entryNames } from '../../scripts/entries.ts';
import * as debug from '../../src/debug/index.ts';
import * as fetchEntry from '../../src/fetch/index.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import * as mcp from '../../src/mcp/index.ts';
import * as monitor from '../../src/monitor/index.ts';
import * as node from '../../src/node/index.ts';
import * as observe from '../../src/observe/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import * as testing from '../../src/testing/index.ts';
import { cellsOf, textOf } from './snippets.ts';

const page = textOf('docs/api.md');

/** Rows of the tables, by the heading above and the name of the method or function. */
const rows = new Map<string, string[]>();
for (const section of page.split(/^## /m).slice(1)) {
  const heading = section.split('\n')[0] ?? '';
  for (const line of section.split('\n').filter((one) => one.startsWith('| `'))) {
    const cells = cellsOf(line);
    rows.set(`${heading}.${/^`([\w/]+)/.exec(cells[0] ?? '')?.[1]}`, cells);
  }
}

function methodsOf(prototype: object): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
}

const client = modelsvc.newClient({ apiKey: 'any' });
const accessors = methodsOf(modelsvc.Client.prototype).filter((name) => page.includes(`\n## ${name}\n`)) as 'chat'[];

describe('docs/api.md', () => {
  it('has a group for each accessor of a client, and a row for each of its other methods', () => {
    expect(accessors.length).toBeGreaterThan(15);
    const others = methodsOf(modelsvc.Client.prototype).filter((name) => !(accessors as string[]).includes(name));
    expect(others.filter((name) => !rows.has(`client.${name}`))).toEqual([]);
  });

  it.each(accessors)('has a row for each method of %s', (accessor) => {
    const methods = methodsOf(Object.getPrototypeOf(client[accessor]()) as object);
    expect(methods.length).toBeGreaterThan(0);
    const listed = [...rows.keys()].filter((key) => key.startsWith(`${accessor}.`)).map((key) => key.slice(accessor.length + 1));
    expect(listed.sort()).toEqual(methods.sort());
  });

  it('gives each operation of the spec to the method of its name', () => {
    const lost = allRoutes.filter(({ id, method, path }) => !rows.get(id)?.[2]?.includes(`\`${method} ${path}\``));
    expect(lost.map((route) => route.id)).toEqual([]);
  });

  it('gives the cost of every method that sends a request', () => {
    for (const [key, [, , http = '', root = '', cost = '', evidence = '']] of rows) {
      if (!http.includes('`/') && !/`[A-Z]+ \//.test(http)) continue;
      const routes = allRoutes.filter(({ method, path }) => http.split('<br>').includes(`\`${method} ${path}\``));
      expect({ key, cost }).toEqual({ key, cost: routes.some((route) => route.charges ?? route.method !== 'GET') ? 'billed' : 'free' });
      expect({ key, told: root !== '' && evidence !== '' }).toEqual({ key, told: true });
    }
  });

  it.each([
    ['streams', 'chat.streamWithTools', 'POST /chat/completions', 'billed'],
    ['jobs', 'client.waitForResult', 'GET /async-result/{id}', 'free'],
    ['another service', 'batch.run', 'POST /files', 'billed'],
    ['several operations', 'usage.summary', 'GET /usage/model-usage', 'free'],
  ])('follows %s: %s', (_what, key, route, cost) => {
    expect(rows.get(key)?.[2]).toContain(route);
    expect(rows.get(key)?.[4]).toBe(cost);
  });

  it('gives no operation to a method that only makes a client', () => {
    expect(rows.get('client.with')?.slice(2)).toEqual(['', '', '', '']);
  });

  it.each(Object.entries({ modelsvc, debug, fetch: fetchEntry, mcp, monitor, node, observe, testing }))(
    'names every export of %s',
    (_entry, exports) => {
      const services = accessors.map((accessor) => (client[accessor]() as object).constructor.name);
      const named = (name: string): boolean => page.includes(`\`${name}\``) || page.includes(`\`${name}(`) || page.includes(`\`${name} `);
      expect(Object.keys(exports).filter((name) => !named(name) && !services.includes(name) && name !== 'Client')).toEqual([]);
    },
  );
});

it.each(entryNames.filter((entry) => entry !== 'types'))('every exported name of %s has a doc comment, on one of its overloads at least', (entry) => {
  const report = textOf(`docs/internals/api-report/${entry}.api.md`);
  const names = [...report.matchAll(/^\/\/ @\w+( \(undocumented\))?.*\n(?:\/\/.*\n)*export (?:abstract )?\w+ (\w+)/gm)];
  expect(names.length).toBeGreaterThan(0);
  const documented = new Set(names.filter(([, mark]) => mark === undefined).map(([, , name]) => name));
  expect(names.map(([, , name]) => name).filter((name) => !documented.has(name))).toEqual([]);
});

it('every type of the wire has a doc comment', () => {
  const types = textOf('src/generated/types.ts').match(/^.*\n(?=export (?:interface|type) \w)/gm) ?? [];
  expect(types.length).toBeGreaterThan(200);
  expect(types.filter((before) => !before.trimEnd().endsWith('*/'))).toEqual([]);
});

describe('the guides to errors and their codes', () => {
  const guide = textOf('docs/guides/errors.md') + textOf('docs/guides/error-codes.md');

  it('has a row for each error class, with its kind', () => {
    const classes = Object.keys(modelsvc).filter((name) => /^[A-Z]\w*Error$/.test(name) && !/^(ModelsvcError$|FinishReason)/.test(name));
    expect(classes.length).toBeGreaterThan(10);
    expect(classes.filter((name) => !new RegExp(`| \`${name}\` | \`[a-z-]+\` |`).test(guide))).toEqual([]);
  });

  it('has a row for each business code', async () => {
    const { businessCodes } = await import('../../src/generated/codes.ts');
    expect(Object.keys(businessCodes).filter((code) => !guide.includes(`\n| ${code} | `))).toEqual([]);
  });
});
