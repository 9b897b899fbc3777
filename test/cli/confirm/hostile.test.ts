import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { fakeKey, type Json } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { bundleText, publicExchange } from '../../../src/cli/commands/confirm/bundle.ts';
import type { Claims } from '../../../src/cli/commands/confirm/claims.ts';
import { probesOf } from '../../../src/cli/commands/confirm/probes/table.ts';
import { codeOf, Vocabulary } from '../../../src/cli/commands/confirm/reply.ts';
import { reportText } from '../../../src/cli/commands/confirm/screen.ts';
import { findingsOf, verdictOf } from '../../../src/cli/commands/confirm/verdicts.ts';
import { faithful, packageClaims } from './support.ts';

const claims: Claims = new Map((await packageClaims()).map((claim) => [claim.id, claim]));
const probes = probesOf(claims);
const words = new Vocabulary([claims]);
const apiKey = 'abcdef0123456789abcdef0123456789.Sec2etSec2etSec2';

/** Every secret has this mark. */
const mark = 'zqx';
const secret = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{4,12}$/).map((text) => `${mark}${text}`),
  fc.constantFrom(
    apiKey,
    `Bearer ${mark}bearer-0123456789`,
    `sk-${mark}0123456789abcdef0123`,
    `glm-5.3-${mark}`,
    `1210${mark}`,
    `${mark}@mail.example`,
  ),
  fc.constantFrom(`me ${mark} [1, 98304] legal range`, `{"inner":"${mark}inner"}`),
);
const names = [
  'error',
  'code',
  'message',
  'msg',
  'type',
  'object',
  'model',
  'data',
  'id',
  'choices',
  'usage',
  'success',
  'content',
  'limits',
  'level',
];
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    secret,
    fc.constantFrom<Json>(null, true, 0, 400, 7_012_345_678_901),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), secret), tie('value'), { maxKeys: 5 }),
  ),
})).value;

const has = (text: string): boolean => text.includes(mark) || text.includes('Sec2etSec2et') || text.includes('7012345678901');

describe('a service whose replies have secrets in every field', () => {
  it('leaves none in the findings, in the bundle and on the screen', () => {
    const reply = fc.record({
      body: value,
      status: fc.constantFrom(200, 400, 401, 429, 500),
      frames: fc.array(value, { maxLength: 3 }),
      at: fc.nat(),
      type: secret,
    });
    fc.assert(
      fc.property(reply, ({ body, status, frames, at, type }) => {
        const probe = probes[at % probes.length];
        if (probe === undefined) return;
        const { findings } = findingsOf(probe, { status, code: codeOf(status, body), body, frames }, claims, words);
        const response = { status, headers: { 'content-type': type, 'x-log-id': `${mark}log`, [`${mark}header`]: mark } };
        const request = {
          method: probe.method,
          host: 'api.z.ai',
          path: probe.template,
          headers: {},
          ...(probe.body && { body: probe.body as Json }),
        };
        const sent = frames.map((frame) => ({ after: 0, event: mark, data: JSON.stringify(frame) }));
        const exchanges = [
          { request, response: { ...response, body } },
          { request, response: { ...response, frames: sent, count: sent.length, end: 'closed' as const } },
        ];
        for (const exchange of exchanges) {
          const answered = [{ probe: probe.name, exchange: publicExchange(exchange, apiKey), findings }];
          expect(has(bundleText({ package: '0.1.0', host: 'api.z.ai', key: 'payg', date: '2026-11-22', answered, open: [] }))).toBe(false);
        }
        const verdicts = findings.map(({ id }) => verdictOf(id, findings, []));
        const report = { host: 'api.z.ai', key: 'payg' as const, date: '2026-11-22', bundle: undefined, verdicts };
        expect(has(JSON.stringify(report))).toBe(false);
        expect(has(reportText(report, (_style, text) => text))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it.each([null, undefined, 0, 'text', true, [], [null], {}, { data: null }, { error: null }, { choices: [null], usage: 5 }])(
    'every judge takes the body %j',
    (body) => {
      for (const probe of probes)
        for (const status of [200, 400]) {
          const { findings } = findingsOf(probe, { status, code: codeOf(status, body), body, frames: [body] }, claims, words);
          expect(findings.every(({ judgement }) => ['holds', 'differs', 'unreachable'].includes(judgement.verdict))).toBe(true);
        }
    },
  );

  it('leaves none in the file and the output of a run', async () => {
    const { fake, confirm, bundle } = await faithful();
    let count = 0;
    const sample = fc.sample(value, { numRuns: 400, seed: 7 });
    const next = (): Json => ({ ...Object.fromEntries(names.map((name) => [name, sample[count++ % 400] ?? mark])), [`${mark}name`]: fakeKey });
    const headers = { 'x-log-id': `${mark}log`, [`${mark}-header`]: `${mark}value`, 'set-cookie': `sid=${mark}` };
    fake.fallback('*', ({ body }) => {
      const isStream = (body as { stream?: boolean } | undefined)?.stream === true;
      return isStream
        ? { frames: [next() as object, `: ${mark}\n\n`, next() as object], headers }
        : { body: next(), status: [200, 400, 503][count % 3] ?? 200, headers };
    });
    for (const operation of ['chat.create', 'anthropic.create', 'responses.create'] as const) fake.fallback(operation, undefined);
    const { stdout, stderr, rows } = await confirm();
    expect(rows.length).toBeGreaterThan(100);
    for (const text of [stdout, stderr, await readFile(bundle, 'utf8')]) {
      expect(text).not.toContain(mark);
      expect(text).not.toContain(fakeKey);
    }
  });
});
