// A conversation whose last answer calls a tool: it is the last one, and goes on without the open calls.
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

const tool = JSON.stringify({ name: 'weather', description: 'The weather.', parameters: { type: 'object', properties: {} } });
const surfaces = [
  { command: 'chat', operation: 'chat.create' },
  { command: 'messages', operation: 'anthropic.create' },
  { command: 'responses', operation: 'responses.create' },
] as const;
const answers = [
  ['a call alone', undefined],
  ['a text and a call', 'Let me look.'],
] as const;

describe.each(surfaces.flatMap((surface) => answers.map(([kind, text]) => ({ ...surface, kind, text }))))(
  '$command, after $kind',
  ({ command, operation, text }) => {
    it.each([['-c'], ['--conversation', 'trip']])('%s %s continues that conversation, and the call is left out', async (...words) => {
      const { fake, modelsvc } = await withFake();
      const env = { HOME: await newHome() };
      const ask = (...args: string[]) => modelsvc([command, ...args], { env });
      fake.fallback(operation, { turn: { text: 'Fine.' } });
      await ask('An older question', '--save', 'trip');
      fake.answer(operation, { turn: { ...(text !== undefined && { text }), toolCalls: [{ name: 'weather', arguments: {} }] } });
      expect(await ask('Is it raining?', '--tool', tool, '--save', 'trip')).toMatchObject({ code: 0 });
      expect(await ask('And tomorrow?', ...words.filter((word) => word !== undefined))).toMatchObject({ code: 0, stdout: 'Fine.\n' });
      const sent = JSON.stringify(fake.requests.at(-1)?.body);
      expect(sent).toContain('Is it raining?');
      expect(sent).toContain('And tomorrow?');
      expect(sent).not.toContain('An older question');
      expect(sent).not.toMatch(/tool_calls|tool_use|function_call/);
      expect(sent.includes('Let me look.')).toBe(text !== undefined);
      expect(fake.refusals).toEqual([]);
    });
  },
);
