import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyBundle } from '../../scripts/confirm-apply.ts';
import { collectClaims } from '../../scripts/generate/claims/claims.ts';
import { readRecordings } from '../../scripts/generate/claims/recordings.ts';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { loadYaml } from '../../scripts/generate/document/source.ts';
import { type Bundle, bundleText } from '../../src/cli/commands/confirm/bundle.ts';
import { version } from '../../src/overlay/index.ts';
import { type JsonObject, type RecordedExchange, readExchanges } from '../../src/testing/index.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** A tree with the files that the script reads and writes. */
async function tree(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'modelsvc-apply-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const path of ['spec', 'test/recorded', 'docs/evidence.json', 'package.json'])
    await cp(join(project, path), join(root, path), { recursive: true });
  return root;
}

const exchange = (path: string, status: number, body: JsonObject): RecordedExchange => ({
  request: { method: 'POST', host: 'api.z.ai', path, headers: { 'content-type': 'application/json' }, body: { model: 'glm-5.3' } },
  response: { status, headers: { 'content-type': 'application/json' }, body },
});
const holds = { verdict: 'holds' } as const;

const bundle: Bundle = {
  package: version,
  host: 'api.z.ai',
  key: 'payg',
  date: '2026-11-22',
  open: ['enum:Thinking.type'],
  answered: [
    {
      probe: 'chat',
      exchange: exchange('/api/paas/v4/chat/completions', 200, { object: '<text 15>' }),
      findings: [
        { id: 'operation:chat.create', probe: 'chat', judgement: holds },
        { id: 'field:ChatResponse.object', probe: 'chat', judgement: holds },
        { id: 'enum:Thinking.type', probe: 'chat', judgement: holds },
      ],
    },
    {
      probe: 'chat max_tokens glm-5.3 131072',
      exchange: exchange('/api/paas/v4/chat/completions', 400, { error: { code: '1210' } }),
      findings: [
        { id: 'refusal:glm-5.3.max_tokens', probe: '', judgement: holds },
        { id: 'limit:glm-5.3.max_output_tokens', probe: '', judgement: { verdict: 'differs', expected: 131_072, seen: 65_536 } },
        { id: 'code:1210', probe: '', judgement: holds },
        { id: 'code:1211', probe: '', judgement: { verdict: 'differs', expected: 'status 400', seen: 'status 404' } },
      ],
    },
  ],
};

const held = ['code:1210', 'field:ChatResponse.object', 'operation:chat.create', 'refusal:glm-5.3.max_tokens'];

async function claimsOf(root: string) {
  const [openapi, models, codes] = await Promise.all(['openapi', 'models', 'error-codes'].map((name) => loadYaml(join(root, `spec/${name}.yaml`))));
  if (!openapi || !models || !codes) throw new Error('a file is missing');
  const recordings = await readRecordings(join(root, 'test/recorded'));
  return new Map(collectClaims({ openapi, operations: readOperations(openapi), models, codes, recordings }).map((claim) => [claim.id, claim]));
}

describe('confirm:apply', () => {
  it('makes the claims that hold recorded with host and date, adds their recordings, and only adds lines', async () => {
    const root = await tree();
    const before = await readFile(join(root, 'spec/openapi.yaml'), 'utf8');
    const applied = await applyBundle(root, 'b.json', bundleText(bundle));
    expect(applied.held).toEqual(held);
    const claims = await claimsOf(root);
    for (const id of held) expect(claims.get(id)).toMatchObject({ evidence: 'recorded', seen: '2026-11-22' });
    expect(claims.get('operation:chat.create')?.source[0]).toBe('confirm api.z.ai 2026-11-22');
    expect(claims.get('enum:Thinking.type')?.evidence).not.toBe('recorded');
    const after = await readFile(join(root, 'spec/openapi.yaml'), 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length).split('\n')).toHaveLength(4);
    expect((await readdir(join(root, 'test/recorded/confirmed'))).sort()).toEqual(['chat-global.json', 'chat-max_tokens-glm-5.3-131072-global.json']);
    const file = readExchanges(await readFile(join(root, 'test/recorded/confirmed/chat-global.json'), 'utf8'));
    expect(file).toMatchObject({ confirm: { date: '2026-11-22', host: 'api.z.ai' }, exchanges: [{ response: { status: 200 } }] });
  });

  it('prints a difference as a change of its line, and does not make it', async () => {
    const root = await tree();
    const { differences } = await applyBundle(root, 'b.json', bundleText(bundle));
    expect(differences).toHaveLength(2);
    expect(differences[1]).toMatch(/^--- spec\/models\.yaml\n\+\+\+ spec\/models\.yaml\n@@ line \d+ @@ limit:glm-5\.3\.max_output_tokens differs/);
    expect(differences[1]).toContain('\n-    max_output_tokens: 131072\n+    max_output_tokens: 65536');
    expect(differences[0]).toContain('- { code: "1211", status: 400');
    expect((await claimsOf(root)).get('limit:glm-5.3.max_output_tokens')?.value).toBe(131_072);
  });

  it('changes no file the second time, and a later date takes the place of the first', async () => {
    const root = await tree();
    await applyBundle(root, 'b.json', bundleText(bundle));
    expect((await applyBundle(root, 'b.json', bundleText(bundle))).changed).toEqual([]);
    await applyBundle(root, 'b.json', bundleText({ ...bundle, date: '2027-01-02' }));
    await applyBundle(root, 'b.json', bundleText({ ...bundle, host: 'open.bigmodel.cn', date: '2026-12-01' }));
    const claim = (await claimsOf(root)).get('operation:chat.create');
    expect(claim).toMatchObject({ seen: '2027-01-02' });
    expect(claim?.source.slice(0, 2)).toEqual(['confirm api.z.ai 2027-01-02', 'confirm open.bigmodel.cn 2026-12-01']);
  });

  it.each([
    ['of a mock', { host: '127.0.0.1:4010' }, 'confirm.host is not a host of the service'],
    ['of another version of the package', { package: '0.0.1' }, 'confirm.package is another version'],
    ['with a claim that does not exist', { open: ['code:1210x'] }, 'confirm.open[0] is a claim that does not exist; the nearest is code:1210'],
  ])('refuses a bundle %s', async (_what, change, message) => {
    await expect(tree().then((root) => applyBundle(root, 'b.json', bundleText({ ...bundle, ...change })))).rejects.toThrow(message);
  });

  it('refuses a confirmed claim that no longer exists', async () => {
    const root = await tree();
    await applyBundle(root, 'b.json', bundleText(bundle));
    const file = join(root, 'spec/openapi.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('  operation:chat.create:', '  operation:chat.made:'));
    await expect(claimsOf(root)).rejects.toThrow('x-confirmed > operation:chat.made: is a claim that does not exist');
  });
});
