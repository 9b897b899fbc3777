// The plan of a team, of a person, and of a key that has none.
import { describe, expect } from 'vitest';
import { isApiError, isModelsvcError } from '../../src/overlay/index.ts';
import type { FakeRequest } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';
import { failureOf } from '../support/spec.ts';

const team = { organization: 'org-1', project: 'proj-1' };
const window = { start: new Date('2026-11-01T00:00:00Z'), end: new Date('2026-11-02T00:00:00Z') };
const sent = ({ target, headers }: FakeRequest) => [
  new URL(target, 'http://fake').searchParams.get('type'),
  headers['bigmodel-organization'],
  headers['bigmodel-project'],
];

describe('quota and usage', () => {
  test('with Config.team send type and both ids on every monitor route; without it none of them', async ({ fake, client }) => {
    for (const [one, expected] of [
      [client.with({ team }), ['2', 'org-1', 'proj-1']],
      [client, [null, undefined, undefined]],
    ] as const) {
      const before = fake.requests.length;
      await one.quota().getLimit(undefined);
      await one.quota().getModelUsage(undefined, window);
      await one.quota().getToolUsage(undefined, window);
      await one.usage().summary(undefined);
      const requests = fake.requests.slice(before);
      expect(requests).toHaveLength(5);
      for (const request of requests) expect(sent(request)).toEqual(expected);
    }
  });

  test('of credits send another type: 3 for a team, 1 for a person', async ({ fake, client }) => {
    for (const [one, expected] of [
      [client.with({ team }), ['3', 'org-1', 'proj-1']],
      [client, ['1', undefined, undefined]],
    ] as const) {
      const before = fake.requests.length;
      await one.quota().getCreditUsage(undefined, window);
      await one.quota().getCreditUsage(undefined, window, 'MCP');
      await one.quota().getActivity(undefined, window);
      const requests = fake.requests.slice(before);
      expect(requests.map(({ parameters }) => parameters['usageType'])).toEqual(['MODEL', 'MCP', undefined]);
      for (const request of requests) expect(sent(request)).toEqual(expected);
    }
  });

  test.for([
    [null, 'team must have organization and project'],
    ['org-1', 'team must have organization and project'],
    [{ organization: 'org-1' }, 'team.project must be the id that the service shows'],
    [{ organization: ' ', project: 'p' }, 'team.organization must be the id that the service shows'],
    [{ organisation: 'o', project: 'p' }, 'team.organisation is unknown; did you mean organization?'],
    [{ organization: 'o', project: 'p', name: 'n' }, 'team.name is unknown; use one of organization, project'],
    [{ organization: 'o\n', project: 'p' }, 'team.organization must be the id that the service shows'],
    [{ organization: 'o', project: 'p\r\nx: y' }, 'team.project must be the id that the service shows'],
  ])('refuse the team %j before a request', async ([wrong, words], { fake, client }) => {
    const error = await failureOf(() =>
      client
        .with({ team: wrong as never })
        .quota()
        .getLimit(undefined),
    );
    expect(isModelsvcError(error, 'config') && error.message).toBe(words);
    expect(fake.requests).toEqual([]);
  });

  test.for([[{ code: 500, success: false, msg: '当前用户不存在coding plan' }], [{ code: 0, success: false, msg: '当前用户不存在 Coding Plan' }]])(
    'name a key without a personal plan, once: %j',
    async ([body], { fake, client }) => {
      fake.fallback('quota.getLimit', { body });
      fake.fallback('quota.getModelUsage', { body });
      for (const call of [() => client.quota().getLimit(undefined), () => client.quota().getModelUsage(undefined, window)]) {
        const before = fake.requests.length;
        const error = await failureOf(call);
        expect(isApiError(error) && [error.category, error.retryable]).toEqual(['quota', false]);
        expect(String(error)).toContain("A team's key needs Config.team");
        expect(String(error)).not.toMatch(/try again/i);
        expect(fake.requests.length - before).toBe(1);
      }
    },
  );

  test.for([
    ['no windows beside a level', { code: 200, success: true, data: { level: 'pro', limits: [] } }, { level: 'pro', limits: [] }],
    ['code 0, and no data', { code: 0, success: true }, { limits: [] }],
    ['data null', { code: 200, success: true, data: null }, { limits: [] }],
    [
      'values that are not rows',
      { code: 200, success: true, data: { level: 'pro', limits: [null, 7, { type: 'NEW' }] } },
      { level: 'pro', limits: [{ type: 'NEW' }] },
    ],
  ])('take %s as what it is', async ([, body, expected], { fake, client }) => {
    fake.fallback('quota.getLimit', { body });
    expect(await client.quota().getLimit(undefined)).toEqual(expected);
  });

  test('name a personal key that is asked for the plan of a team', async ({ fake, client }) => {
    fake.fallback('quota.getLimit', { body: { code: 500, success: false, msg: '当前用户不存在coding plan' } });
    expect(String(await failureOf(() => client.with({ team }).quota().getLimit(undefined)))).toContain('A personal key needs no team');
  });

  test.for([
    ['Internal error', 'server', true],
    ['404 NOT_FOUND', 'parameter', false],
  ] as const)('take the failure %s as one of %s', async ([msg, category, retryable], { fake, client }) => {
    fake.fallback('quota.getLimit', { body: { code: 500, success: false, msg } });
    const error = await failureOf(() => client.quota().getLimit(undefined));
    expect(isApiError(error) && [error.category, error.retryable]).toEqual([category, retryable]);
  });
});
