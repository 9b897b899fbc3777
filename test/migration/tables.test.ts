import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { guides } from './table-modules.ts';

describe('the left column of the migration tables', () => {
  it.each([
    ['openai', new OpenAI({ apiKey: 'any' }), guides.openai],
    ['@anthropic-ai/sdk', new Anthropic({ apiKey: 'any' }), guides.anthropic],
  ])('has the defaults of %s', (_name, { timeout, maxRetries }, rows) => {
    const cells = rows.flatMap(({ before }) => before);
    expect([timeout, maxRetries]).toEqual([600_000, 2]);
    expect(cells).toEqual(expect.arrayContaining(['timeout: 600_000', 'maxRetries: 2']));
  });
});
