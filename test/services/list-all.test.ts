import { describe, expect, it } from 'vitest';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { collect, configAt } from '../support/spec.ts';

interface Entry {
  readonly id?: string | undefined;
}

/** Each list, the cursor after a page whose `last_id` is `last`, and its method. */
const lists: [string, root: string, cursor: string, (client: Client, more?: object) => AsyncGenerator<Entry, void, undefined>][] = [
  ['files.listAll', '/files?purpose=batch', 'b', (client, more) => client.files().listAll(undefined, { purpose: 'batch', ...more })],
  ['batch.listAll', '/batches', 'last', (client, more) => client.batch().listAll(undefined, (more ?? null) as never)],
];

const page = (ids: string[], has_more: boolean, last_id?: string): object => ({ object: 'list', data: ids.map((id) => ({ id })), last_id, has_more });

describe.each(lists)('%s', (_name, root, cursor, list) => {
  it('walks the pages by the last id, or by the id of the last entry', async () => {
    const pages = [page(['a', 'b'], true, 'last'), page(['c'], true), page([], false)];
    const api = await answeringServer((_asked, index) => ({ body: pages[index] }));
    const { items } = await collect(list(newClient(configAt(api.url)), { limit: 2 }));
    expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const first = `${root}${root.includes('?') ? '&' : '?'}limit=2`;
    expect(api.asked.map(({ path }) => path)).toEqual([first, `${first}&after=${cursor}`, `${first}&after=c`]);
  });

  it('asks for no page that the caller does not reach', async () => {
    const api = await answeringServer(() => ({ body: page(['a', 'b'], true) }));
    for await (const { id } of list(newClient(configAt(api.url)))) if (id === 'a') break;
    expect(api.asked.map(({ path }) => path)).toEqual([root]);
  });

  it.each([
    ['the cursor stays', ['a'], 2],
    ['a page is empty', [], 1],
  ])('ends with an error where %s and more pages are promised', async (_what, ids, requests) => {
    const api = await answeringServer(() => ({ body: page(ids, true) }));
    const { items, error } = await collect(list(newClient(configAt(api.url))));
    expect(api.asked).toHaveLength(requests);
    expect(items).toHaveLength(ids.length * 2);
    expect(error).toMatchObject({ kind: 'reply', problem: 'malformed', message: expect.stringContaining('pagination did not advance') });
  });
});
