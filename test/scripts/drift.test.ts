import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { SpecError } from '../../scripts/generate/document/source.ts';
import type { Explanation, Judged } from '../../scripts/service/drift/difference.ts';
import { readExplanations } from '../../scripts/service/drift/explanations.ts';
import { fieldNames } from '../../scripts/service/drift/openapi.ts';
import { readTables } from '../../scripts/service/drift/tables.ts';
import { drift as compare, readOurs, report } from '../../scripts/service/drift.ts';
import { Refused } from '../../scripts/service/facts.ts';
import { programOutcome } from '../support/child.ts';
import { failureOf } from '../support/spec.ts';
import { newFolder } from '../support/storage.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const fixtures = fileURLToPath(new URL('drift/', import.meta.url));
const fixture = (name: string): string => join(fixtures, name);

const ours = await readOurs(project);

/** The differences of the tables of these files from the claims and the spec of this tree, with the explanations of another one. */
function drift(root: string, files: readonly string[]): Promise<Judged> {
  return compare(ours, join(root, 'spec/drift.yaml'), files);
}

/** A tree with the claims and the spec of this one, and these explanations. */
async function treeWith(...explained: Partial<Explanation>[]): Promise<string> {
  const root = await newFolder();
  for (const path of ['docs/evidence.json', 'spec/openapi.yaml']) await cp(join(project, path), join(root, path));
  await writeFile(
    join(root, 'spec/drift.yaml'),
    stringify({ explained: explained.map((one) => ({ why: 'Looked at.', date: '2026-11-20', ...one })) }),
  );
  return root;
}

/** A changed copy of a fixture, under the same path. */
async function changed(root: string, name: string, ...changes: [from: string, to: string][]): Promise<string> {
  let text = await readFile(fixture(name), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  const path = join(root, 'tables', name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** The open differences as short texts. */
async function open(root: string, ...files: string[]): Promise<string[]> {
  const { open: found } = await drift(root, files);
  return found.map(({ harm, claim, table, theirs, ours }) => `${harm} ${claim} ${table} ${JSON.stringify(theirs)} ${JSON.stringify(ours)}`);
}

const toml = 'models.dev/providers/zai/models/glm-5.2.toml';

/** A header that is required, one that every request has, and a query. */
const parameters = `    post:
      parameters:
        - { name: X-Tenant, in: header, required: true, schema: { type: string } }
        - { name: Authorization, in: header, required: true, schema: { type: string } }
        - { name: verbose, in: query, schema: { type: boolean } }
      requestBody:`;

describe('drift', () => {
  it('finds no difference between the claims and tables that agree, in every form', async () => {
    const root = await treeWith();
    for (const name of ['models.dev', 'models.dev.json', 'litellm.json', 'pi-ai.json', 'zcode-builtin.json', 'openapi.md'])
      expect(await open(root, fixture(name)), name).toEqual([]);
  });

  it.each<[form: string, file: string, changes: [string, string][], found: string[]]>([
    ['a TOML file of models.dev', toml, [['input = 1.4', 'input = 1.5']], ['price price:glm-5.2.input models.dev/zai 1.5 1.4']],
    ['its words of effort', toml, [['["high", "max"]', '["low", "max"]']], ['word model:glm-5.2.effort models.dev/zai ["low","max"] ["high","max"]']],
    [
      'a TOML file of a laboratory',
      'models.dev/models/zhipuai/glm-5-turbo.toml',
      [
        ['context = 200_000', 'context = 256_000'],
        ['input = ["text"]', 'input = ["text", "image"]'],
      ],
      [
        'size limit:glm-5-turbo.context_tokens models.dev 256000 204800',
        'word model:glm-5-turbo.capabilities models.dev ["text","thinking","tools","vision"] ["text","thinking","tools"]',
      ],
    ],
    ['api.json of models.dev', 'models.dev.json', [['"output": 2.2', '"output": 2.5']], ['price price:glm-4.7.output models.dev/zai 2.5 2.2']],
    ['the price map of LiteLLM', 'litellm.json', [['6e-7', '7e-7']], ['price price:glm-4.7.input litellm 0.7 0.6']],
    ['a model that the claims lack', 'litellm.json', [['zai/glm-4.7', 'zai/glm-0']], ['missing model:glm-0 litellm "listed" null']],
    [
      'the provider data of pi-ai',
      'pi-ai.json',
      [['"reasoning": true', '"reasoning": false']],
      ['word model:glm-4.7.thinking pi-ai/zai "none" "switchable"'],
    ],
    [
      "the table of the vendor's client",
      'zcode-builtin.json',
      [
        ['GLM-5.3-Flash', 'GLM-0'],
        ['["disabled", "high", "max"]', '["low", "high"]'],
        ['"contextWindow": 131072', '"contextWindow": 262144'],
      ],
      [
        'missing model:glm-0 vendor-client "listed" null',
        'client limit:glm-4.6v.context_tokens vendor-client 262144 131072',
        'client model:glm-5.2.effort vendor-client ["low","high"] ["high","max"]',
        'client model:glm-5.2.thinking vendor-client "always" "switchable"',
      ],
    ],
    [
      'a page with an OpenAPI document',
      'openapi.md',
      [
        ['required: [model, query, documents]', 'required: [model, query, documents, top_n]'],
        ['maxItems: 128', 'maxItems: 64'],
        ['enum: [rerank]', 'enum: [rerank, rerank-2]'],
        ['return_raw_scores: { type: boolean, default: false }', 'sort: { type: boolean }'],
        ['/paas/v4/rerank:', '/paas/v4/rank:\n    get: {}\n  /paas/v4/rerank:'],
        ['        top_n: { type: integer }', '        top_n: { type: string }'],
        ["      responses:\n        '200':", "      responses:\n        '418': {}\n        '200':"],
        ['    post:\n      requestBody:', parameters],
      ],
      [
        'refused field:RerankRequest.return_raw_scores openapi/open.bigmodel.cn null "documented"',
        'refused field:RerankRequest.top_n openapi/open.bigmodel.cn "required" "optional"',
        'refused limit:RerankRequest.documents.maxItems openapi/open.bigmodel.cn 64 128',
        'refused parameter:rerank.create.X-Tenant openapi/open.bigmodel.cn "required" null',
        'missing operation:GET /api/paas/v4/rank openapi/open.bigmodel.cn "described" null',
        'word enum:RerankRequest.model openapi/open.bigmodel.cn ["rerank","rerank-2"] ["rerank"]',
        'word status:rerank.create.418 openapi/open.bigmodel.cn "described" null',
        'word type:RerankRequest.top_n openapi/open.bigmodel.cn ["string"] ["integer"]',
        'extra field:RerankRequest.sort openapi/open.bigmodel.cn "described" null',
        'extra parameter:rerank.create.verbose openapi/open.bigmodel.cn "described" null',
      ],
    ],
  ])('finds what differs in %s, the most harmful first', async (_form, file, changes, found) => {
    const root = await treeWith();
    expect(await open(root, await changed(root, file, ...changes))).toEqual(found);
  });

  it('takes neither the zeros of a plan nor a round number in units of 1000 for a difference', async () => {
    const root = await treeWith();
    const plan = await changed(
      root,
      'pi-ai.json',
      ['"input": 0.6', '"input": 0'],
      ['"output": 2.2', '"output": 0'],
      ['"cacheRead": 0.11', '"cacheRead": 0'],
    );
    const litellm = await changed(root, 'litellm.json', ['"max_input_tokens": 200000', '"max_input_tokens": 204800']);
    expect(await open(root, plan, litellm)).toEqual([]);
  });

  it('does not print an explained difference, until either side changes', async () => {
    const claim = { claim: 'price:glm-5.2.input', table: 'models.dev/zai', theirs: 1.5, ours: 1.4 };
    const root = await treeWith(claim);
    const file = await changed(root, toml, ['input = 1.4', 'input = 1.5']);
    expect(await drift(root, [file])).toMatchObject({ open: [], explained: 1, unused: [] });
    await changed(root, toml, ['input = 1.4', 'input = 1.6']);
    const theirs = await drift(root, [file]);
    expect(theirs.open).toMatchObject([{ ...claim, theirs: 1.6, was: claim }]);
    expect(report(theirs, false).join('\n')).toContain('changed since it was explained on 2026-11-20 for 1.5 and ours 1.4');
    const other = await treeWith({ ...claim, ours: 1.3 });
    expect((await drift(other, [await changed(other, toml, ['input = 1.4', 'input = 1.5'])])).open).toMatchObject([{ theirs: 1.5, ours: 1.4 }]);
    expect((await drift(root, [fixture(toml)])).unused).toMatchObject([{ claim: claim.claim }]);
  });

  it.each<[string, Partial<Explanation>[], RegExp]>([
    [
      'a claim that no longer exists',
      [{ claim: 'price:glm-0.input', table: 'litellm', theirs: 1, ours: 2 }],
      /explained > 0 > claim: price:glm-0\.input is not a claim/,
    ],
    [
      'one difference twice',
      [1, 2].map((theirs) => ({ claim: 'price:glm-5.2.input', table: 'litellm', theirs, ours: 1.4 })),
      /explained > 1 > claim: .* explained twice for litellm/,
    ],
    ['no date', [{ claim: 'price:glm-5.2.input', table: 'litellm', theirs: 1, ours: 1.4, date: 'today' }], /explained > 0 > date: /],
  ])('refuses an explanation of %s, with its place', async (_what, explained, says) => {
    const error = await failureOf(async () => drift(await treeWith(...explained), [fixture('litellm.json')]));
    expect(error).toBeInstanceOf(SpecError);
    expect((error as Error).message).toMatch(says);
  });

  it.each([
    ['another form', 'table.json', '{"models": [{"name": "glm-5.2"}]}', /table\.json: unknown form; known are OpenAPI/],
    ['prose', 'table.md', 'A page without a table.', /table\.md: unknown form/],
    ['a table that was cut off', 'table.json', '{"zai/glm-4.7": {"litellm_provider": "zai",', /table\.json: not JSON, or cut off/],
    ['a table without our models', 'table.json', '{"gpt": {"litellm_provider": "openai"}}', /table\.json: litellm without a GLM model/],
  ])('refuses %s in one line', (_what, name, text, says) => {
    const act = (): unknown => readTables(name, text);
    expect(act).toThrow(Refused);
    expect(act).toThrow(says);
  });

  it('reads the files of a folder, and ignores files of other providers in it', async () => {
    const root = await treeWith();
    const path = await changed(root, toml, ['input = 1.4', 'input = 1.5']);
    await cp(path, path.replace('/zai/', '/another/'));
    expect(await open(root, join(root, 'tables'))).toEqual(['price price:glm-5.2.input models.dev/zai 1.5 1.4']);
  });

  it('exits with 0, 1 or 2', async () => {
    const root = await treeWith();
    // These tables are compared with the claims alone.
    await writeFile(join(root, 'spec/openapi.yaml'), stringify({ paths: {}, components: { schemas: {} } }));
    const different = await changed(root, toml, ['input = 1.4', 'input = 1.5']);
    const runs = await Promise.all(
      [[fixture('litellm.json')], [different], [join(root, 'nowhere.json')], []].map((files) =>
        programOutcome('scripts/service.ts', ['drift', '--root', root, ...files]),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 1, 2, 2]);
    expect(runs[1]?.stdout).toContain('Wrong price (1)\n  price:glm-5.2.input  models.dev/zai: 1.5, ours: 1.4\n');
    expect(runs[2]?.stderr).toMatch(/^\S+nowhere\.json: cannot be read\n$/);
  });

  it('has explanations of claims that exist, in this repository', async () => {
    const { claims } = ours;
    const known = new Set([...claims.keys(), ...fieldNames(ours.spec)]);
    const rows = await readExplanations(join(project, 'spec/drift.yaml'), known);
    expect(rows.length).toBeGreaterThan(0);
    const values = new Map([...claims].map(([id, { value }]) => [id, value]));
    for (const { claim, ours } of rows)
      if (ours !== undefined && values.has(claim) && !claim.startsWith('field:')) expect(values.get(claim), claim).toEqual(ours);
  });
});

describe('the workflow of drift', () => {
  it('runs weekly, downloads outside of the command, and names no registry', async () => {
    const text = await readFile(join(project, '.github/workflows/drift.yml'), 'utf8');
    const { on, jobs } = parse(text) as { on: { schedule: { cron: string }[] }; jobs: { drift: { steps: { run?: string }[] } } };
    expect(on.schedule[0]?.cron).toMatch(/^\d+ \d+ \* \* \d$/);
    expect(jobs.drift.steps.map((step) => step.run ?? '').join('\n')).toMatch(/npm pack [\s\S]*npm run -s drift -- tables[\s\S]*gh issue create/);
    expect(text).not.toMatch(/registry/);
    const folder = join(project, 'scripts/service');
    const scripts = [join(folder, 'drift.ts'), ...(await readdir(join(folder, 'drift'))).map((name) => join(folder, 'drift', name))];
    for (const path of scripts) expect(await readFile(path, 'utf8'), path).not.toMatch(/\bfetch\(|node:https?|undici/);
  });
});
