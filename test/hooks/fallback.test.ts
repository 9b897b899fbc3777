import { expect, test } from 'vitest';
import { debugHook } from '../../src/debug/index.ts';
import { otelHook } from '../../src/observe/index.ts';
import { newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { telemetry } from '../support/otel.ts';

const seen = telemetry();
const fake = await sharedFake();

test('the debug log and the span name the models that refused, and why', async () => {
  const lines: string[] = [];
  const hooks = [debugHook({ write: (line) => lines.push(line) }), otelHook()];
  const client = newClient(fake.configFor({ maxRetries: 0, hooks }));
  fake.answer('chat.create', faults.error(400, '1211'), faults.rateLimit(undefined, '1305'), { turn: { text: 'hi' } });
  await client.chat().createSimple({ fallback: ['glm-5.3', 'glm-4.7'] }, 'glm-5.2', 'Hello');

  const starts = lines.filter((line) => line.includes(' start: ')).map((line) => /model (.*), messages/.exec(line)?.[1]);
  const [first, second] = ['glm-5.2 (refused with code 1211)', 'glm-5.3 (refused with code 1305)'];
  expect(starts).toEqual(['glm-5.2', `glm-5.3, in place of ${first}`, `glm-4.7, in place of ${first}, ${second}`]);
  expect(seen.spans().map(({ attributes: { 'modelsvc.fallback.from': from, 'modelsvc.fallback.passed': passed } }) => ({ from, passed }))).toEqual([
    { from: undefined, passed: undefined },
    { from: 'glm-5.2', passed: ['glm-5.2: refused with code 1211'] },
    { from: 'glm-5.2', passed: ['glm-5.2: refused with code 1211', 'glm-5.3: refused with code 1305'] },
  ]);
});
