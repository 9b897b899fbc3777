// Text mode: blank lines around answers and thoughts, and the line of tokens.
import { join } from 'node:path';
import fc from 'fast-check';
import { estimateCost } from 'modelsvc';
import { describe, expect, it } from 'vitest';
import { Lead } from '../../../src/cli/talk/print.ts';
import { tokensText } from '../../../src/cli/talk/usage-line.ts';
import { newHome, withFake } from '../support/in-process.ts';

describe('an answer', () => {
  it('in pieces is the answer without its first blank lines', () => {
    const blanks = fc.array(fc.constantFrom(' ', '\n', '\t', '\r\n', 'a', '  b', '中'));
    fc.assert(
      fc.property(blanks, (pieces) => {
        const lead = new Lead();
        expect(pieces.map((piece) => lead.add(piece)).join('')).toBe(
          pieces
            .join('')
            .replace(/^(?:[ \t\r]*\n)+/, '')
            .replace(/^\s*$/, ''),
        );
      }),
    );
  });

  it.each(['chat', 'messages', 'responses'] as const)('%s: begins with its text, and a blank thought is not printed', async (surface) => {
    const { fake, modelsvc } = await withFake();
    for (const options of [[], ['--no-stream']]) {
      fake[surface].reply({ reasoning: ['\n', ' \n'], text: ['\n', '\n', '  Blue', '.\n\nMore'] });
      expect(await modelsvc([surface, 'hi', ...options])).toEqual({ stdout: '  Blue.\n\nMore\n', stderr: '', code: 0 });
    }
    fake[surface].reply({ reasoning: ['\n\nhm', ', hm', '\n\n', 'so\n\n'], text: '\n\nBlue.' });
    expect(await modelsvc([surface, 'hi'])).toEqual({ stdout: 'Blue.\n', stderr: 'hm, hm\n\nso\n', code: 0 });
  });

  it('without colors is apart from its thought on a terminal', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ reasoning: 'hm\n', text: '\nBlue.' });
    const { stdout } = await modelsvc(['chat', 'hi', '--no-progress'], { columns: 80, env: { NO_COLOR: '1' } });
    expect(stdout).toBe('hm\n\nBlue.\n');
  });

  it('is shown by the log with its thought', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const env = { HOME: home, XDG_STATE_HOME: join(home, '.state') };
    fake.chat.reply({ reasoning: 'the thought', text: 'Blue.' });
    await modelsvc(['chat', 'hi'], { env });
    expect((await modelsvc(['logs', 'show'], { env })).stdout).toContain('\n[reasoning]\nthe thought\n\n[answer]\nBlue.\n');
  });
});

describe('tokens', () => {
  const usage = (prompt: number, cached: number, output: number, total?: number) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    ...(total !== undefined && { total_tokens: total }),
    prompt_tokens_details: { cached_tokens: cached },
  });

  it.each([
    [usage(698, 7500, 20, 8218), '8198 tokens in (91% cached), 20 out'],
    [usage(698, 7500, 20), '8198 tokens in (91% cached), 20 out'],
    [usage(698, 500, 20, 1218), '1198 tokens in (42% cached), 20 out'],
    [usage(7613, 7580, 20, 7633), '7613 tokens in (99% cached), 20 out'],
    [usage(7613, 7613, 20, 7633), '7613 tokens in (100% cached), 20 out'],
    [
      { input_tokens: 698, output_tokens: 20, total_tokens: 8218, input_tokens_details: { cached_tokens: 7500 } },
      '8198 tokens in (91% cached), 20 out',
    ],
    [{ input_tokens: 698, cache_read_input_tokens: 7500, output_tokens: 20 }, '8198 tokens in (91% cached), 20 out'],
  ])('%j', (given, text) => {
    expect(tokensText(given)).toBe(text);
    expect(estimateCost('glm-5.3', given)).toBeGreaterThan(0);
  });
});
