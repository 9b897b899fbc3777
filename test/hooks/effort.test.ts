import { expect, test } from 'vitest';
import { debugHook } from '../../src/debug/index.ts';
import { otelHook } from '../../src/observe/index.ts';
import type { Hook } from '../../src/overlay/index.ts';
import type { EffortInfo } from '../../src/types/index.ts';
import { telemetry } from '../support/otel.ts';
import { openVendor } from '../support/vendor.ts';

const seen = telemetry();
const messages = [{ role: 'user' as const, content: 'Is 91 prime?' }];

test('hooks, the debug log and the span have the level, the fields and the reason', async () => {
  const { clientOf } = await openVendor();
  const lines: string[] = [];
  const efforts: (EffortInfo | undefined)[] = [];
  const watch: Hook = { onStart: ({ effort }) => void efforts.push(effort), onRequest: ({ operation }) => void efforts.push(operation.effort) };
  const client = clientOf({ wholeReplies: true, hooks: [watch, debugHook({ write: (line) => lines.push(line) }), otelHook()] });
  await client.chat().create(undefined, { model: 'glm-5.3', messages, effort: 'off' });
  await client.anthropic().create(undefined, { model: 'glm-5.3', max_tokens: 64, messages, effort: 'max' });
  await client.chat().create(undefined, { model: 'glm-5.3', messages });

  const off = {
    asked: 'off',
    sent: { thinking: { type: 'enabled' }, reasoning_effort: 'low' },
    why: 'glm-5.3 always thinks; low is its lowest effort.',
  };
  const max = { asked: 'max', sent: { output_config: { effort: 'max' } }, why: undefined };
  expect(efforts).toEqual([off, off, max, max, undefined, undefined]);
  expect(efforts.every((effort) => effort === undefined || (Object.isFrozen(effort) && Object.isFrozen(effort.sent)))).toBe(true);

  const starts = lines.filter((line) => line.includes(' start: ')).map((line) => line.replace(/.*model glm-5\.3, /, ''));
  expect(starts).toEqual([
    'effort off sent as {"thinking":{"type":"enabled"},"reasoning_effort":"low"} (glm-5.3 always thinks; low is its lowest effort.), messages [user 12]',
    'effort max sent as {"output_config":{"effort":"max"}}, messages [user 12]',
    'messages [user 12]',
  ]);

  const facts = seen.spans().map(({ attributes }) => ({
    level: attributes['gen_ai.request.reasoning.level'],
    asked: attributes['modelsvc.effort.asked'],
    reason: attributes['modelsvc.effort.reason'],
  }));
  expect(facts).toEqual([
    { level: 'low', asked: 'off', reason: off.why },
    { level: 'max', asked: 'max', reason: undefined },
    { level: undefined, asked: undefined, reason: undefined },
  ]);
});
