// The first error of a new user: a base URL that belongs to another surface, or to none.
import { describe, expect } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { roots, type ServiceRoot } from '../../src/generated/routes.ts';
import { newClient } from '../../src/overlay/index.ts';
import { surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { askings } from './support.ts';

const hosts = ['https://api.z.ai', 'https://open.bigmodel.cn'];
const own: Readonly<Record<string, readonly ServiceRoot[]>> = { chat: ['chat', 'coding'], messages: ['messages'], responses: ['responses'] };
const wrong = [
  '',
  '/v1',
  '/v4',
  '/api',
  '/api/paas',
  '/api/openai/v1',
  '/api/paas/v4',
  '/api/coding/paas/v4',
  '/api/v1',
  '/api/anthropic',
  '/api/monitor',
];

describe.each(askings)('$surface', ({ surface, path, headers, body }) => {
  describe.each(hosts)('%s', (host) => {
    const rights = (own[surface] ?? []).flatMap((name) => Object.values(roots[name])).filter((root) => root.startsWith(host));

    test.for(wrong.filter((root) => !rights.includes(host + root)))(
      'below %s names the URL that was asked, and the right root',
      async (root, { fake }) => {
        const asked: string[] = [];
        // The request leaves for a path that the fake does not serve.
        const httpClient: typeof fetch = (url, init) => {
          asked.push(String(url));
          return fetch(`${fake.url}/none`, init);
        };
        const response = await serviceFetch({ httpClient })(`${host}${root}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        const { error } = (await response.json()) as { error: { message: string } };
        expect(asked).toHaveLength(1);
        expect(response.status).toBe(404);
        expect(error.message).toContain(`Check the base URL of ${asked[0]}: set it to ${rights.join(' or ')}, the root of this surface.`);
      },
    );

    test.for(rights)('below its own root %s no other is advised', async (root, { fake }) => {
      const httpClient: typeof fetch = (_url, init) => fetch(`${fake.url}/none`, init);
      const response = await serviceFetch({ httpClient })(root + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error.message).toContain(`Check the base URL of ${root}${path}: each surface has its own root.`);
    });
  });

  test('a gateway has the URL alone, as with the client of this package', async ({ fake }) => {
    const response = await serviceFetch({ baseURL: fake.url })(`${fake.url}/gateway${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { error } = (await response.json()) as { error: { message: string } };
    const advice = `Check the base URL of ${fake.url}/gateway${path}: each surface has its own root.`;
    expect(error.message).toContain(advice);
    const driver = surfaces.find((one) => one.surface === surface);
    const client = newClient({ apiKey: 'key-of-the-test', endpoints: `${fake.url}/gateway` });
    expect(await failure(driver?.create(client) as Promise<object>)).toMatchObject({ advice });
  });
});

test('a path outside the spec is named without its query', async ({ fake }) => {
  const asked = `${fake.url}/api/paas/v4/none`;
  const response = await serviceFetch({ baseURL: fake.url })(`${asked}?secret=abc`, { headers: askings[0]?.headers ?? {} });
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain(`Check the base URL of ${asked}: each surface`);
  expect(error.message).not.toContain('abc');
});
