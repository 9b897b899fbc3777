import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

describe('--budget', () => {
  it('ends map when it is used up, with every answered row, and a run with more goes on', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    const words = ['map', 'Say {line}', '-O', 'out.jsonl', '--concurrency', '1', '--no-log'];
    const rows = { stdin: 'a\nb\nc\n', cwd };
    const first = await modelsvc([...words, '--budget', '1tokens'], rows);
    expect([first.code, fake.requests.length]).toEqual([5, 1]);
    expect(first.stderr).toMatch(/the budget of 1 tokens is used up/);
    const kept = await readFile(join(cwd, 'out.jsonl'), 'utf8');
    expect(kept.trim().split('\n')).toHaveLength(1);
    const second = await modelsvc([...words, '--budget', '5'], rows);
    expect([second.code, fake.requests.length]).toEqual([0, 3]);
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toContain(kept.trim());
  });

  it.each(['chat', 'messages', 'responses'])('refuses a call of %s that is not covered, before a request', async (command) => {
    const { fake, modelsvc } = await withFake();
    const { code, stderr, stdout } = await modelsvc([command, 'hi', '--budget', '0', '--no-log', '--json']);
    expect([code, fake.requests.length]).toEqual([5, 0]);
    expect(JSON.parse(stderr || stdout)).toMatchObject({ error: { kind: 'budget', unit: 'usd', spent: 0, limit: 0 } });
    expect((await modelsvc([command, 'hi', '--budget', '1000tokens', '--no-log'])).code).toBe(0);
  });

  it('is an amount, with a unit or in US dollars, and none for batches', async () => {
    const { fake, modelsvc } = await withFake();
    for (const text of ['five', '-1', '1e9', '5euro', 'NaN', '', '0x10'])
      expect([text, (await modelsvc(['chat', 'hi', `--budget=${text}`, '--no-log'])).code]).toEqual([text, 2]);
    expect((await modelsvc(['map', '{line}', '-O', 'o', '--via', 'batch', '--budget', '1'], { stdin: 'a\n', cwd: await newHome() })).code).toBe(2);
    expect(fake.requests).toHaveLength(0);
  });
});
