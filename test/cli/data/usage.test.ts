import { describe, expect, it } from 'vitest';
import { run, withFake } from '../support/in-process.ts';

describe('usage', () => {
  it('shows totals, models and tools of the last 24 hours', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout, code } = await modelsvc(['usage']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+ \d\d:00 to \S+ \d\d:\d\d: 15 calls, 64,040 tokens$/m);
    expect(stdout).toMatch(/^glm-5\.2 +60,120$/m);
    expect(stdout).toMatch(/^Web search +5$/m);
    expect(fake.requests.map(({ operation }) => operation).sort()).toEqual(['quota.getLimit', 'quota.getModelUsage', 'quota.getToolUsage']);
  });

  it('as JSON has the objects of the service', async () => {
    const { modelsvc } = await withFake();
    const { stdout } = await modelsvc(['usage', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      start: expect.stringMatching(/Z$/),
      model_usage: { totalUsage: { totalTokensUsage: 64040 } },
      tool_usage: { x_time: expect.any(Array) },
    });
  });

  it.each([
    ['model', 'glm-5.2\t60120\nglm-4.7\t3920\n'],
    ['tool', 'Web search\t5\nWeb reader\t1\n'],
    ['hour', '2026-07-11 07:00\t4\t15210\n2026-07-11 09:00\t11\t48830\n'],
    ['day', '2026-07-11\t15\t64040\n'],
  ])('--by %s prints a line for each', async (unit, text) => {
    const { modelsvc } = await withFake();
    expect(await modelsvc(['usage', '--by', unit])).toMatchObject({ stdout: text, code: 0 });
  });

  it.each([
    [
      '',
      [
        /: 50 credits, 64,000 tokens\n75 % of the input was cached, 60 % of the use was off-peak\.\n/,
        /^Web search +3 +3\.6$/m,
        /^2026-11-24 13:00 +30 +█{20}$/m,
      ],
    ],
    ['--by model', [/^glm-5\.3\t60000\t48\t75 %\t41 %\nglm-5\.3-flash\t4000\t2\t\t0 %\n$/]],
    ['--by tool', [/^Web search\t3\t3\.6\n$/]],
    ['--by hour', [/^2026-11-24 13:00\t35000\t30\n2026-11-24 15:00\t29000\t20\n$/]],
    ['--by day', [/^2026-11-23\t9\t0\t30000\t21\.5\n2026-11-24\t15\t3\t64000\t50\n$/]],
  ])('of a plan that counts credits has them: %s', async (by, shown) => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('quota.getLimit', { example: 'credits' });
    const { stdout } = await modelsvc(['usage', ...by.split(' ').filter(Boolean)]);
    for (const one of shown) expect(stdout).toMatch(one);
    expect(fake.requests.filter(({ operation }) => /ModelUsage|ToolUsage/.test(operation ?? ''))).toEqual([]);
  });

  it('of a level without windows asks for credits, as a plan of a team', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('quota.getLimit', { body: { code: 0, success: true, data: { level: 'pro', limits: [] } } });
    expect((await modelsvc(['usage', '--organization', 'o', '--project', 'p'])).stdout).toContain('50 credits');
    expect(fake.requests.map(({ parameters }) => parameters['type'])).toEqual(['2', '3', '3']);
  });

  it('--since and --until are local days, the last one to its end', async () => {
    const { fake, modelsvc } = await withFake();
    await modelsvc(['usage', '--since', '2026-08-01', '--until', '2026-08-02', '--by', 'model'], { env: { TZ: 'Asia/Shanghai' } });
    expect(fake.requests.at(-1)?.parameters).toMatchObject({ startTime: '2026-08-01 00:00:00', endTime: '2026-08-02 23:59:59' });
  });

  it('--days 0 is since midnight', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['usage', '--days', '0'], { env: { TZ: 'Asia/Shanghai' } })).code).toBe(0);
    expect(fake.requests.at(-1)?.parameters).toMatchObject({ startTime: expect.stringMatching(/ 00:00:00$/) as string });
  });

  it.each([
    [['--days', '367'], '--days must be 0 to 366, not 367'],
    [['--days', '2', '--since', '2026-08-01'], '--days and --since exclude each other'],
    [['--until', '2026-08-01'], '--until needs --since'],
    [['--since', '2026-02-30'], '--since must be a date such as 2026-08-06 or 2026-08-06T14:00, not "2026-02-30"'],
    [['--since', '2026-08-02', '--until', '2026-08-01'], 'the start of the range is after its end'],
  ])('%j is refused', async (args, text) => {
    const { stderr, code } = await run(['usage', ...args]);
    expect({ first: stderr.split('\n')[0], code }).toEqual({ first: `modelsvc: ${text}`, code: 2 });
  });

  it('subscription lists the plans, and account shows facts', async () => {
    const { modelsvc } = await withFake();
    expect((await modelsvc(['usage', 'subscription'])).stdout).toBe('GLM Coding Pro\tVALID\tmonthly\t2026-08-11\t\n');
    const { stdout } = await modelsvc(['usage', 'balance', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ balance: 12.5 });
  });
});
