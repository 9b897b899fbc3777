// Many rows: `data/bulk.test.ts`.
import { describe, expect, it } from 'vitest';
import { withFake } from '../support/in-process.ts';

describe('--budget', () => {
  it.each(['chat', 'messages', 'responses'])('refuses a call of %s that is not covered, before a request', async (command) => {
    const { fake, modelsvc } = await withFake();
    const { code, stderr, stdout } = await modelsvc([command, 'hi', '--budget', '0', '--no-log', '--json']);
    expect([code, fake.requests.length]).toEqual([5, 0]);
    expect(JSON.parse(stderr || stdout)).toMatchObject({ error: { kind: 'budget', unit: 'usd', spent: 0, limit: 0 } });
    expect((await modelsvc([command, 'hi', '--budget', '1000tokens', '--no-log'])).code).toBe(0);
  });

  it('is an amount, with a unit or in US dollars', async () => {
    const { fake, modelsvc } = await withFake();
    for (const text of ['five', '-1', '1e9', '5euro', 'NaN', '', '0x10'])
      expect([text, (await modelsvc(['chat', 'hi', `--budget=${text}`, '--no-log'])).code]).toEqual([text, 2]);
    const { code, stderr } = await modelsvc(['chat', 'hi', '--budget', '5credits', '--no-log']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/takes no credits: the windows of the plan are the limit there\nSee them with `modelsvc quota`/),
    ]);
    expect(fake.requests).toHaveLength(0);
  });
});
