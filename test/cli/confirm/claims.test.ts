import type { Claim } from 'modelsvc/evidence.json';
import { describe, expect, it } from 'vitest';
import { faithful, plantedEvidence, type Row } from './support.ts';

const differing = (rows: readonly Row[]): string[] => rows.filter(({ verdict }) => verdict === 'differs').map(({ id }) => id);

describe('confirm against a service that plays every claim', () => {
  it('finds that all judged claims hold', async () => {
    const { confirm, fake } = await faithful();
    const { rows, code, stderr } = await confirm(['--all']);
    expect(stderr).toContain('Largest cost: ');
    expect(differing(rows)).toEqual([]);
    expect(code).toBe(0);
    expect(rows.filter(({ verdict }) => verdict === 'holds').length).toBeGreaterThan(280);
    // The service refuses nothing but what a probe expects, and no probe goes to a path outside the spec.
    expect(fake.refusals.filter(({ operation }) => operation === undefined)).toEqual([]);
  });
});

describe('confirm with the claims of July against the service of November', () => {
  const planted: Readonly<Record<string, Partial<Claim>>> = {
    'refusal:glm-5.3-flash.tool_choice': { value: { status: 200, code: null } },
    'refusal:glm-4.5-air.max_tokens': { value: { status: 400, code: '1210', allowed: 131_072 } },
    'limit:glm-4.6v-flash.max_output_tokens': { value: 16_384 },
    'refusal:glm-5.3.effort@platform': { value: { status: 400, code: '1210', allowed: ['minimal', 'low', 'high', 'max'] } },
    'model:glm-5.3-flash.effort': { value: ['high', 'max'] },
    'model:glm-5.3-flashx.thinking': { value: 'switchable' },
    'model:glm-5-flash': { value: 'chat', place: 'spec/models.yaml#/models/glm-5-flash' },
    'model:glm-4.8': { value: 'chat', place: 'spec/models.yaml#/models/glm-4.8', source: ['recorded list 2026-07-10'] },
    'enum:AnthropicMessageResponse.type': { value: ['completion'] },
    'code:1211': { value: { status: 404, category: 'parameter', retry: 'never' } },
    'code:1233': { value: { status: 404, category: 'parameter', retry: 'never' } },
    'refusal:responses.create.wrong_key': { value: { status: 401, code: 'invalid_api_key' } },
    'limit:ChatRequest.temperature.maximum': { value: 2 },
    'operation:chat.createLater': { place: 'spec/openapi.yaml#/paths/~1chat~1later/post' },
  };

  it('finds each of fourteen differences, and no other', async () => {
    const { confirm, home } = await faithful();
    const { rows, code } = await confirm(['--all', '--evidence', await plantedEvidence(home, planted)]);
    expect(differing(rows)).toEqual(Object.keys(planted).sort());
    expect(code).toBe(0);
    const row = (id: string): unknown => rows.find((one) => one.id === id);
    expect(row('refusal:glm-4.5-air.max_tokens')).toMatchObject({ expected: 131_072, seen: 98_304 });
    expect(row('refusal:glm-5.3-flash.tool_choice')).toMatchObject({ expected: '200 accepted', seen: '400 1210' });
    expect(row('enum:AnthropicMessageResponse.type')).toMatchObject({ expected: ['completion'], seen: 'message' });
    expect(row('code:1211')).toMatchObject({ expected: 'status 404', seen: 'status 400' });
  });
});
