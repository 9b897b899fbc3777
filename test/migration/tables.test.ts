import { readdir } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { textOf } from '../docs/snippets.ts';
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

it('the page of ports lists every port', async () => {
  const files = await Promise.all(
    ['openai', 'anthropic', 'ai'].map(async (name) => (await readdir(new URL(name, import.meta.url))).map((file) => `${name}/${file}`)),
  );
  const ports = [...textOf('docs/internals/ports.md').matchAll(/^\|[^|]+\| `([^`]+)` \|/gm)].map(([, port]) => port);
  expect(ports.sort()).toEqual(files.flat().sort());
});
