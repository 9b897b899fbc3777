import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../scripts/generate/claims/claim.ts';
import { claimKinds, locate } from '../../scripts/generate/claims/claims.ts';
import { type Operation, readOperations } from '../../scripts/generate/document/operations.ts';
import { evidenceWords } from '../../scripts/generate/document/shape.ts';
import { isObject, type Json, type JsonObject, loadYaml, resolve } from '../../scripts/generate/document/source.ts';
import { openapi } from '../support/openapi.ts';
import { follow, jsonReply, recordings, successOf } from '../support/recordings.ts';

const operations = readOperations(openapi);

/** The fields of a schema, with the path of each. */
function fieldsOf(schema: Json | undefined, at = ''): [path: string, field: JsonObject][] {
  const { properties, items } = follow(schema);
  const own = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, child]): [string, JsonObject][] => {
    const field = follow(child);
    const path = at === '' ? name : `${at}.${name}`;
    return [[path, field], ...(field['x-evidence'] === undefined ? fieldsOf(field, path) : [])];
  });
  return [...own, ...(items === undefined ? [] : fieldsOf(items, `${at}[]`))];
}

function holds(value: unknown, path: readonly string[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  const name = step.replace('[]', '');
  const child = isObject(value) ? (value as JsonObject)[name] : undefined;
  if (child === undefined) return false;
  return step.endsWith('[]') && Array.isArray(child) ? child.some((item) => holds(item, rest)) : holds(child, rest);
}

describe('the word recorded', () => {
  it.each(operations.filter((one) => one.evidence === 'recorded').map((one) => [one.id, one] as const))(
    'is true of %s and of each field that bears no other word',
    (_id, operation) => {
      const success = successOf(operation);
      expect(success).toBeDefined();
      const unmarked = fieldsOf(jsonReply(operation)).filter(([, field]) => (field['x-evidence'] ?? 'recorded') === 'recorded');
      expect(unmarked.map(([path]) => path).filter((path) => !holds(success?.body, path.split('.')))).toEqual([]);
    },
  );

  it.each(operations.filter((one) => one.evidence !== 'recorded').map((one) => [one.id, one] as const))(
    'is not missing from %s',
    (_id, operation) => {
      expect(successOf(operation)).toBeUndefined();
    },
  );

  it('on a field of a reply means that a recording has it', () => {
    const marked = operations.flatMap((one) =>
      fieldsOf(jsonReply(one))
        .filter(([, field]) => field['x-evidence'] === 'recorded')
        .map(([path]) => [one, path] as const),
    );
    expect(marked.length).toBeGreaterThan(4);
    const seen = (one: Operation, path: string): boolean =>
      recordings.some(({ method, path: asked, body }) => method === one.method && asked.endsWith(one.path) && holds(body, path.split('.')));
    // The job's result has the schema of the synchronous call, whose failure was recorded.
    expect(marked.filter(([one, path]) => one.id !== 'fileParser.result' && !seen(one, path)).map(([one, path]) => `${one.id} ${path}`)).toEqual([]);
  });
});

const evidence = JSON.parse(readFileSync(new URL('../../docs/evidence.json', import.meta.url), 'utf8')) as {
  readonly format: string;
  readonly version: number;
  readonly claims: readonly Claim[];
};
const claims = new Map(evidence.claims.map((claim) => [claim.id, claim]));
const claimedPlaces = new Set(evidence.claims.map(({ place }) => place));
const spec = (name: string): URL => new URL(`../../spec/${name}`, import.meta.url);
const models = await loadYaml(fileURLToPath(spec('models.yaml')));
const codes = await loadYaml(fileURLToPath(spec('error-codes.yaml')));
const files: Readonly<Record<string, Json>> = {
  'spec/openapi.yaml': openapi.value,
  'spec/models.yaml': models.value,
  'spec/error-codes.yaml': codes.value,
};

/** The places of a keyword that states a fact: not in a condition, and not a property of that name. */
function placesOf(keywords: readonly string[], node: Json | undefined, at: string, isSchema = true): string[] {
  const step = (name: string | number): string => `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (Array.isArray(node)) return node.flatMap((item, index) => placesOf(keywords, item, step(index)));
  if (!isObject(node)) return [];
  const conditions = ['if', 'not', 'contains', 'example', 'examples', 'x-known-shapes', 'x-event-schema'];
  return Object.entries(node).flatMap(([key, child]) => {
    if (isSchema && keywords.includes(key) && !(key === 'minLength' && Number(child) <= 1)) return [step(key)];
    return isSchema && conditions.includes(key) ? [] : placesOf(keywords, child, step(key), !(isSchema && key === 'properties'));
  });
}

const kindsOfKeywords: Readonly<Record<string, readonly string[]>> = {
  enum: ['enum', 'const', 'x-extensible-enum'],
  default: ['default'],
  limit: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems maxContains maxProperties pattern'.split(
    ' ',
  ),
};

describe('docs/evidence.json', () => {
  it('has one claim a line, sorted, each with a known word, dated sources and the newest of their dates', () => {
    const lines = readFileSync(new URL('../../docs/evidence.json', import.meta.url), 'utf8').split('\n');
    expect(lines).toHaveLength(evidence.claims.length + 3);
    expect([evidence.format, evidence.version]).toEqual(['modelsvc/evidence', 1]);
    const ids = evidence.claims.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const { id, evidence: word, source: from, seen } of evidence.claims) {
      expect(id).toMatch(new RegExp(`^(${claimKinds.join('|')}):\\S`));
      expect(evidenceWords, id).toContain(word);
      const dates = from.map((text) => / (\d{4}-\d{2}(-\d{2})?)$/.exec(text)?.[1]);
      expect(dates.sort().at(-1), id).toBe(seen);
    }
  });

  it('names places that exist, and rows by name', () => {
    for (const { id, place } of evidence.claims) {
      const [file = '', pointer = ''] = place.split('#');
      expect(locate(files[file] ?? null, place), id).toBeDefined();
      if (file !== 'spec/openapi.yaml')
        expect(
          pointer.split('/').filter((step) => /^\d{1,3}$/.test(step)),
          id,
        ).toEqual(pointer === '/codes/500' || pointer === '/codes/401' ? [pointer.slice(7)] : []);
    }
  });

  it('claims each operation', () => {
    expect(operations.map(({ id }) => id).filter((id) => !claims.has(`operation:${id}`))).toEqual([]);
  });

  it.each(Object.entries(kindsOfKeywords))('claims each %s of a schema and of a parameter', (_kind, keywords) => {
    const schemas = placesOf(keywords, resolve(openapi.value, '#/components/schemas'), 'spec/openapi.yaml#/components/schemas', false);
    const parameters = operations.flatMap(({ parameters: own }) =>
      own.flatMap(({ schema, place }) =>
        placesOf(keywords, schema, `spec/openapi.yaml#/${place.map((step) => String(step).replaceAll('/', '~1')).join('/')}/schema`),
      ),
    );
    expect(schemas.length + parameters.length).toBeGreaterThan(50);
    expect([...schemas, ...parameters].filter((place) => !claimedPlaces.has(place))).toEqual([]);
  });

  it('claims each word of evidence that a schema has of its own', () => {
    const places = placesOf(['x-evidence'], resolve(openapi.value, '#/components/schemas'), 'spec/openapi.yaml#/components/schemas', false);
    const missing = places.map((place) => place.replace(/\/x-evidence$/, '')).filter((place) => !claimedPlaces.has(place));
    expect(places.length).toBeGreaterThan(150);
    expect(missing).toEqual([]);
  });

  it('claims each code, with its status, category and retry', () => {
    for (const { code, status, category, retry } of codes.value['codes'] as JsonObject[])
      expect(claims.get(`code:${code}`)?.value, String(code)).toEqual({ status: status ?? null, category, retry });
  });

  it('claims each fact, price and refusal of each model, and each price of a service', () => {
    const rows = models.value['models'] as unknown as JsonObject[];
    const priced = ['input', 'output', 'cached_input'];
    const expected = rows.flatMap((row): string[] => {
      const { id, prices = [], prices_cny: chinese = [] } = row;
      const [first] = prices as JsonObject[];
      const own = Object.keys(models.value['facts'] as JsonObject).filter((column) => row[column] !== undefined && column !== 'effort_checked');
      const sizes: Readonly<Record<string, string>> = {
        context_tokens: 'limit',
        max_output_tokens: 'limit',
        default_output_tokens: 'default',
        credits: 'price',
      };
      return [
        `model:${id}`,
        ...own.map((column) => `${sizes[column] ?? 'model'}:${id}.${column === 'default_output_tokens' ? 'max_tokens' : column}`),
        ...priced.filter((column) => first?.[column] !== undefined).map((column) => `price:${id}.${column}`),
        ...(chinese as JsonObject[]).flatMap((one) =>
          priced
            .filter((column) => one[column] !== undefined)
            .map((column) => `price:${id}.${column}@cny${one['when'] === undefined ? '' : ` (${one['when']})`}`),
        ),
        ...(row['item_price'] === undefined ? [] : [`price:${id}.item`]),
        ...((row['effort_checked'] ?? []) as string[]).map((root) => `refusal:${id}.effort@${root}`),
        ...((row['refuses'] ?? []) as string[]).map((name) => `refusal:${id}.${name}`),
      ];
    });
    const services = (models.value['services'] as JsonObject[]).map(({ name }) => `price:service.${name}`);
    expect([...expected, ...services].filter((id) => !claims.has(id))).toEqual([]);
    expect(claims.get('price:glm-5.3.input')).toMatchObject({ value: 1.4, evidence: 'documented', seen: '2026-09' });
  });

  it('lists a price of another source as disputed, next to the one that counts', () => {
    expect(claims.get('price:glm-5.2.cached_input')).toMatchObject({ value: 0.26, disputed: ['0.28 (sdk-only: origin catalogue 2026-07-19)'] });
    expect(claims.get('price:glm-5.2.input')).not.toHaveProperty('disputed');
  });

  it('dates a recorded operation by its recording', () => {
    expect(claims.get('operation:models.list')).toMatchObject({ evidence: 'recorded', source: ['recording models-list-china-ok.json 2026-07-10'] });
    expect(claims.get('code:1113')?.source.filter((text) => text.startsWith('recording '))).toHaveLength(1);
    expect(claims.get('field:AgentResponse.error')?.source).toEqual(['recording agents-invoke-global-failed-1113.json 2026-07-10']);
  });

  it('claims the defaults that differ by model or root', () => {
    expect(claims.get('default:Thinking.clear_thinking (coding root)')).toMatchObject({ value: false, seen: '2026-10' });
    expect(claims.get('default:ChatRequest.temperature (glm-4.5)')).toMatchObject({ value: 0.6, evidence: 'documented' });
  });

  it('does not take one recorded value for a list of values', () => {
    expect(claims.get('enum:Voice.voice_type')).toMatchObject({ value: ['OFFICIAL', 'PRIVATE'], evidence: 'documented' });
    expect(claims.get('enum:Model.object')).toMatchObject({ value: ['model'], evidence: 'recorded' });
  });

  it('is what docs/evidence.md counts, with the oldest claims first and each translation of effort', () => {
    const page = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8');
    for (const kind of claimKinds) {
      const own = evidence.claims.filter(({ id }) => id.startsWith(`${kind}:`));
      const counts = evidenceWords.map((word) => own.filter((claim) => claim.evidence === word).length);
      expect(page).toContain(`| \`${kind}\` | ${counts.join(' | ')} | ${own.length} |\n`);
    }
    const seen = [...evidence.claims].map((claim) => claim.seen).sort();
    const shown = [...page.matchAll(/^\| (\d{4}-\d{2}(?:-\d{2})?) \| `/gm)].map(([, date]) => date);
    expect(shown).toEqual(seen.slice(0, 20));
    const classes = (models.value['effort'] as JsonObject)['classes'] as JsonObject[];
    const sent = classes.flatMap((one) =>
      ['chat', 'messages', 'responses'].flatMap((surface) => Object.values(one[surface] as JsonObject) as JsonObject[]),
    );
    for (const { send } of sent) if (Object.keys(send as JsonObject).length > 0) expect(page).toContain(`| \`${JSON.stringify(send)}\` |`);
  });
});
