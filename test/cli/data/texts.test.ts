import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';

/** An answer with a vector for each text. */
function vectors(request: { readonly body: unknown }): { body: object } {
  const { input } = request.body as { readonly input: readonly string[] };
  const data = input.map((text, index) => ({ index, object: 'embedding', embedding: [text.length, 0] }));
  return { body: { model: 'embedding-3', object: 'list', data, usage: { total_tokens: input.length } } };
}

describe('embeddings create', () => {
  it('on a terminal prints the start of each vector and a summary', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('embeddings.create', vectors);
    const { stdout } = await modelsvc(['embeddings', 'a', 'bcd'], { columns: 200 });
    expect(stdout).toMatch(
      /^0 {2}\d+ numbers: .*…\n1 {2}\d+ numbers: .*…\n2 of 2 texts, \d+ tokens\. For all numbers, pass -o jsonl or redirect stdout to a file\.\n$/,
    );
  });

  it('prints a line of JSON for each argument', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('embeddings.create', vectors);
    const { stdout, code } = await modelsvc(['embeddings', 'create', 'a', 'bcd', '--dimensions', '256']);
    expect({ stdout, code }).toEqual({ stdout: '{"index":0,"embedding":[1,0]}\n{"index":1,"embedding":[3,0]}\n', code: 0 });
    expect(fake.requests[0]?.body).toEqual({ model: 'embedding-3', input: ['a', 'bcd'], dimensions: 256 });
  });

  it('sends the lines of stdin in requests of 64 texts, and counts on', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('embeddings.create', vectors);
    const { stdout } = await modelsvc(['embeddings', 'create'], { stdin: 'text\n\n'.repeat(70) });
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(70);
    expect(JSON.parse(rows[69] as string)).toMatchObject({ index: 69 });
    expect(fake.requests.map(({ body }) => (body as { input: string[] }).input.length)).toEqual([64, 6]);
    const all = await modelsvc(['embeddings', 'create', '--json'], { stdin: 'text\n'.repeat(70) });
    expect(JSON.parse(all.stdout)).toMatchObject({ model: 'embedding-3', object: 'list', usage: { total_tokens: 70 } });
  });

  it.each(['json', 'yaml', 'jsonl'])('-o %s: a failure of a later request loses no vector that was billed', async (format) => {
    const { fake, modelsvc } = await withFake();
    fake.answer('embeddings.create', vectors, faults.error(429, '1113', 'no balance'));
    const failed = await modelsvc(['embeddings', 'create', '-o', format], { stdin: 'text\n'.repeat(200) });
    expect(failed).toMatchObject(ends(5, 'no balance'));
    expect(failed.stdout.match(/\bindex\b/g)).toHaveLength(64);
    expect(fake.requests).toHaveLength(2);
  });

  it('keeps the ids of JSON lines, and names a line that is wrong', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('embeddings.create', vectors);
    const home = await newHome();
    const file = join(home, 'texts.jsonl');
    await writeFile(file, '"one"\n{"id":"b","text":"three"}\n');
    const { stdout } = await modelsvc(['embeddings', 'create', '-i', file]);
    expect(stdout).toBe('{"index":0,"embedding":[3,0]}\n{"id":"b","index":1,"embedding":[5,0]}\n');
    await writeFile(file, '"one"\n{"id":"b"}\n');
    const wrong = await modelsvc(['embeddings', 'create', '-i', file]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`${file}, line 2: expected a JSON string, or an object with the field text or input`);
  });
});

describe('embeddings create, answered with less than was asked for,', () => {
  const texts = '{"id":"a","text":"one"}\n{"id":"b","text":"two"}\n{"id":"c","text":"three"}\n';
  const made = (index?: number): object => ({ ...(index !== undefined && { index }), embedding: [1, 2] });

  it.each([
    ['a vector of null', [made(0), { index: 1, embedding: null }, made(2)], ['a', 'c'], /no vector for 1 of 3 texts: \S+texts\.jsonl, line 2\n/],
    ['a null in a vector', [made(0), { index: 1, embedding: [1, null] }, made(2)], ['a', 'c'], /no vector for 1 of 3 texts: /],
    ['a cut vector', [{ index: 0, embedding: [1] }, made(1), made(2)], ['b', 'c'], /no vector for 1 of 3 texts: /],
    ['a short list', [made(2)], ['c'], /no vector for 2 of 3 texts: \S+texts\.jsonl, line 1, \S+texts\.jsonl, line 2\n/],
    ['a short list without indices', [made()], [], /no vector for 3 of 3 texts: /],
    ['no index, but each vector', [made(), made(), made()], ['a', 'b', 'c'], /^$/],
    ['no data', null, [], /./],
  ])('%s: the vectors that came are printed with their ids, and the other lines are named', async (_name, data, ids, words) => {
    const { fake, modelsvc } = await withFake();
    const file = join(await newHome(), 'texts.jsonl');
    await writeFile(file, texts);
    fake.fallback('embeddings.create', { body: { model: 'embedding-3', object: 'list', data, usage: { total_tokens: 3 } } });
    const { stdout, stderr, code } = await modelsvc(['embeddings', 'create', '-i', file, '--service-rules', 'on']);
    const rows = stdout.split('\n').filter(Boolean);
    expect(rows.map((row) => (JSON.parse(row) as { id: string }).id)).toEqual(ids);
    expect(stderr).toMatch(words);
    if (data !== null) expect(code).toBe(ids.length === 3 ? 0 : 8);
    expect(fake.requests).toHaveLength(1);
  });
});

const rows: readonly (readonly [words: string, stdin: string, stdout: string | RegExp, body: object, stderr?: string])[] = [
  [
    'rerank rains --top-n 2',
    'It rains.\nThe sun shines.\n',
    '1.0000\t0\tIt rains.\n0.0099\t1\tThe sun shines.\n',
    { model: 'rerank', query: 'rains', documents: ['It rains.', 'The sun shines.'], top_n: 2 },
  ],
  ['moderate some text', '', 'PASS\n', { model: 'moderation', input: 'some text' }],
  ['moderate -', 'piped\n', 'PASS\n', { model: 'moderation', input: 'piped' }],
  ['tokens count -m glm-4.5', 'How many?\n', /^\d+\n$/, { model: 'glm-4.5', messages: [{ role: 'user', content: 'How many?' }] }],
  [
    'search go generics --recency week --count 5 --domain go.dev',
    '',
    /^1\. An introduction to generics .*\n {3}https:\/\/go\.dev\/blog\/intro-generics\n {3}Generics let/,
    { search_query: 'go generics', search_engine: 'search_std', search_recency_filter: 'oneWeek', count: 5, search_domain_filter: 'go.dev' },
  ],
  [
    'read https://go.dev --format text --no-images',
    '',
    /^# Build simple/,
    { url: 'https://go.dev', return_format: 'text', retain_images: false },
    'The Go Programming Language\n',
  ],
];

it.each(rows.map((row) => [row[0], row] as const))(
  '%s: words, options and stdin are fields of the request, and the reply is text',
  async (words, row) => {
    const [, stdin, stdout, body, stderr = ''] = row;
    const { fake, modelsvc } = await withFake();
    const ended = await modelsvc(words.split(' '), { stdin });
    expect(ended).toEqual({ code: 0, stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout), stderr });
    expect(fake.requests.map((request) => request.body)).toEqual([expect.objectContaining(body)]);
  },
);

it('moderate prints the verdict of risky content, which is not an error, and needs a text', async () => {
  const { fake, modelsvc } = await withFake();
  const result = { content_type: 'text', risk_level: 'REJECT', risk_type: ['porn', 'abuse'] };
  fake.answer('moderations.create', { body: { id: '1', result_list: [result] } });
  expect(await modelsvc(['moderate', 'some', 'text'])).toMatchObject({ stdout: 'REJECT: porn, abuse\n', code: 0 });
  expect(await modelsvc(['moderate'])).toMatchObject(ends(2, /^modelsvc: TEXT is empty: stdin has no text\nPass it as an argument or in a pipe/));
});

it.each([
  ['search', 'x', '`modelsvc messages --web-search`'],
  ['read', 'https://go.dev', '`modelsvc coding mcp add`'],
])('%s without money names what a plan has instead', async (command, word, way) => {
  const { fake, modelsvc } = await withFake();
  fake.fallback('*', faults.error(429, '1113', 'no balance'));
  const { stderr, code } = await modelsvc([command, word]);
  expect([code, stderr]).toEqual([5, expect.stringContaining(way)]);
  expect(stderr).toMatch(/^A coding plan has no REST /m);
});
