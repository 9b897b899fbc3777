// Replies about plans as they arrive: each gives a figure that is true, or a sentence that names what is not known.
import { expect, it } from 'vitest';
import type { Reply } from '../../../src/testing/index.ts';
import { withFake } from '../support/in-process.ts';

const ok = (data: unknown): Reply => ({ body: { code: 200, success: true, data } });
const withoutPlan: Reply = { body: { code: 500, success: false, msg: '当前用户不存在coding plan' } };
const hours = ['2026-11-24 13:00:00', '2026-11-24 14:00:00', '2026-11-24 15:00:00'];
const days = ['2026-11-17', '2026-11-18'];
const team = ['--organization', 'org-1', '--project', 'proj-1'];

/** A reply of the credits of models, by the hour. */
const credits = (rows: readonly unknown[], rest: object = {}, xTime = hours): Reply =>
  ok({ granularity: xTime === days ? 'DAY' : 'HOUR', modelUsage: { xTime, modelDataList: rows }, ...rest });

type Case = readonly [name: string, words: string, replies: Readonly<Record<string, Reply>>, shown: readonly (string | RegExp)[], code?: number];

const noFigures = 'an unknown number of';
const cases: readonly Case[] = [
  ['a level without windows', 'quota', { 'quota.getLimit': ok({ level: 'pro', limits: [] }) }, ['Plan: pro', 'the use of this plan is not told']],
  ['a level without windows, to judge', 'quota --check 80', { 'quota.getLimit': ok({ level: 'pro', limits: [] }) }, ['cannot judge'], 9],
  ['code 0 and no data', 'quota', { 'quota.getLimit': { body: { code: 0, success: true } } }, ['No coding plan.']],
  ['data null', 'quota', { 'quota.getLimit': ok(null) }, ['No coding plan.']],
  [
    'unknown windows and units',
    'quota',
    {
      'quota.getLimit': ok({
        level: 'pro',
        limits: [
          { type: 'NEW_LIMIT', unit: 9, number: 2, percentage: 7 },
          { type: 'CREDIT_LIMIT', unit: 77 },
        ],
      }),
    },
    [/^new-limit +\S+ +7 %/m, /^credits +unknown/m],
  ],
  ['no data of tokens', 'usage', { 'quota.getModelUsage': { body: { code: 0, success: true } } }, [`${noFigures} calls, ${noFigures} tokens`]],
  [
    'models of tokens: nulls, strings, another case, a total wider than the window',
    'usage --by model',
    {
      'quota.getModelUsage': ok({
        modelDataList: [
          { modelName: 'GLM-5.3', tokensUsage: ['100', null, 45.5], totalTokens: 234 },
          { modelName: 'glm-5.2', tokensUsage: [null, null], totalTokens: 90 },
        ],
        modelSummaryList: [
          { modelName: 'glm-5.3', totalTokens: 234 },
          { modelName: 'glm-4.7', totalTokens: 30 },
        ],
      }),
    },
    [/^glm-5\.3\t145\.5\nglm-4\.7\t30\nglm-5\.2\t\n$/],
  ],
  [
    'tokens by the day, asked by the hour',
    'usage --days 30 --by hour',
    { 'quota.getModelUsage': ok({ x_time: ['2026-07-11'], granularity: 'daily', tokensUsage: [1], modelCallCount: [1] }) },
    ['the service counts this range by the day'],
    2,
  ],
  [
    'a step of tokens whose calls are null',
    'usage --by hour',
    { 'quota.getModelUsage': ok({ x_time: ['2026-11-24 13:00', '2026-11-24 14:00'], tokensUsage: [5, null], modelCallCount: [null, 3] }) },
    ['2026-11-24 13:00\t\t5\n2026-11-24 14:00\t3\t\n'],
  ],
  [
    'credits: decimal strings, rows that are no models, a name in another case',
    'usage --by model',
    {
      'quota.getCreditUsage': credits([
        { modelCode: 'GLM-5.3', totalTokensUsage: [10, '20', null], totalCreditsUsage: ['0.1000', '0.2000', null], totalCredits: '99' },
        ...['cached_input', 'uncached_input', 'OUTPUT'].map((modelCode) => ({ modelCode, totalTokens: 900, totalCredits: '9' })),
        ...['缓存输入', '未缓存输入', '输出', 'Output'].map((modelName) => ({ modelName, totalTokens: 900, totalCredits: '9' })),
        null,
        7,
      ]),
    },
    [/^GLM-5\.3\t30\t0\.3\t\t66 %\n$/],
  ],
  [
    'credits that are null, and blank text',
    'usage',
    {
      'quota.getCreditUsage': credits(
        [{ modelCode: 'glm-5.3', totalTokensUsage: [null, 7, null], totalCreditsUsage: [null, ' ', null], totalCredits: null }],
        { summary: { cacheHitRate: { value: null }, totalCredits: null } },
      ),
    },
    [`${noFigures} credits, 7 tokens`, 'an unknown share of the input was cached', /^glm-5\.3 +7$/m],
  ],
  [
    'series shorter than their steps, and longer',
    'usage --by model',
    {
      'quota.getCreditUsage': credits([
        { modelCode: 'short', totalCreditsUsage: ['3'], totalTokensUsage: [1, 2], cachedInputTokensUsage: [6], uncachedInputTokensUsage: ['2'] },
        { modelCode: 'long', totalCreditsUsage: ['1', '1', '1', '1'] },
      ]),
    },
    [/^long\t\t4\t\t\nshort\t3\t3\t75 %\t\n$/],
  ],
  [
    'figures too small and too near to the whole for their digits',
    'usage',
    {
      'quota.getCreditUsage': credits([{ modelCode: 'glm-5.3', totalTokensUsage: [1], totalCreditsUsage: ['0.0004', null, null] }], {
        summary: { cacheHitRate: { value: '0.0001' }, offPeakUsageRate: { value: '0.9999' }, totalCredits: { value: '0.0004' } },
      }),
    },
    ['<0.01 credits, 1 tokens', '<1 % of the input was cached, 99 % of the use was off-peak'],
  ],
  ['no data of credits', 'usage', { 'quota.getCreditUsage': { body: { code: 0, success: true } } }, [`${noFigures} credits, ${noFigures} tokens`]],
  [
    'a window by the day',
    'usage --days 7',
    { 'quota.getCreditUsage': credits([{ modelCode: 'glm-5.3', totalCreditsUsage: ['1', '2'] }], {}, days) },
    ['share of peak hours per model is not known', /^glm-5\.3 +3$/m, /^2026-11-18 +2 +█/m],
  ],
  [
    'a window by the day, asked by the hour',
    'usage --days 7 --by hour',
    { 'quota.getCreditUsage': credits([{ modelCode: 'glm-5.3', totalCreditsUsage: ['1', '2'] }], {}, days) },
    ['the service counts this range by the day'],
    2,
  ],
  [
    'days that are nulls and none',
    'usage --by day',
    { 'quota.getActivity': ok({ summary: null, series: [{ date: '2026-11-24', totalTokens: '7', totalCredits: null }, null, { date: 'x' }] }) },
    ['2026-11-24\t\t\t7\t\n'],
  ],
  ['a host without the route', 'usage', { 'quota.getCreditUsage': { example: 'failed' } }, ['15 calls, 64,040 tokens', 'does not tell the credits']],
  ["a team's key without its team", 'quota', { 'quota.getLimit': withoutPlan }, ['needs --organization and --project'], 5],
  ['the same in usage', 'usage', { 'quota.getLimit': withoutPlan }, ['needs --organization and --project'], 5],
  ['a personal key with a team', `quota ${team.join(' ')}`, { 'quota.getLimit': withoutPlan }, ['Leave out --organization and --project'], 5],
];

it.each(cases.map(([name, words, replies, shown, code = 0]) => ({ name, words, replies, shown, code })))(
  '$name: $words',
  async ({ words, replies, shown, code }) => {
    const { fake, modelsvc } = await withFake();
    if (/Credit|Activity/.test(Object.keys(replies).join())) fake.fallback('quota.getLimit', { example: 'credits' });
    for (const [operation, reply] of Object.entries(replies)) fake.fallback(operation as 'quota.getLimit', reply);
    const ended = await modelsvc(words.split(' '));
    const text = ended.stdout + ended.stderr;
    for (const one of shown) expect(text).toEqual(one instanceof RegExp ? expect.stringMatching(one) : expect.stringContaining(one));
    expect(text).not.toMatch(/try again|undefined|NaN|\bnull\b/i);
    expect(ended.code).toBe(code);
  },
);
