import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collectClaims } from '../../scripts/generate/claims/claims.ts';
import { readRecordings } from '../../scripts/generate/claims/recordings.ts';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { loadYaml } from '../../scripts/generate/document/source.ts';
import { applyRun } from '../../scripts/service/apply.ts';
import { type RunFile, runText } from '../../scripts/service/confirm/file.ts';
import { version } from '../../src/overlay/index.ts';
import { type JsonObject, type RecordedExchange, readExchanges } from '../../src/testing/index.ts';
import { newFolder } from '../support/storage.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** A tree with the files that the script reads and writes. */
async function tree(): Promise<string> {
  const root = await newFolder();
  for (const path of ['spec', 'test/recorded', 'docs/evidence.json']) await cp(join(project, path), join(root, path), { recursive: true });
  return root;
}

const json = { 'content-type': 'application/json' };
const exchange = (status: number, body: JsonObject): RecordedExchange => ({
  request: {
    method: 'POST',
    host: 'api.z.ai',
    path: '/api/paas/v4/chat/completions',
    headers: json,
    body: { model: 'glm-5.3', messages: [{ role: 'user', content: '<text 2>' }] },
  },
  response: { status, headers: json, body },
});
const usage = { prompt_tokens: 1, completion_tokens: '1', total_tokens: 2 };
const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '<text 2>' } }];

const run: RunFile = {
  package: version,
  host: 'api.z.ai',
  key: 'payg',
  date: '2026-11-22',
  answered: { chat: 'success', 'glm-5.3 max_tokens': '400 1210', 'chat unknown model': '404 1211' },
  exchanges: [
    exchange(200, { id: '<id>', created: 0, model: 'glm-5.3', object: '<text 15>', choices, usage }),
    exchange(400, { error: { code: '1210', message: '<text 9>' } }),
  ],
};
const held = ['code:1210', 'field:ChatResponse.object', 'model:glm-5.3', 'operation:chat.create', 'refusal:glm-5.3.max_tokens'];

async function claimsOf(root: string) {
  const [openapi, models, codes] = await Promise.all(['openapi', 'models', 'error-codes'].map((name) => loadYaml(join(root, `spec/${name}.yaml`))));
  if (!openapi || !models || !codes) throw new Error('a file is missing');
  const recordings = await readRecordings(join(root, 'test/recorded'));
  return new Map(collectClaims({ openapi, operations: readOperations(openapi), models, codes, recordings }).map((claim) => [claim.id, claim]));
}

describe('confirm:apply', () => {
  it('makes the claims that hold recorded with host and date, adds their recording, and only adds lines', async () => {
    const root = await tree();
    const before = await readFile(join(root, 'spec/openapi.yaml'), 'utf8');
    const applied = await applyRun(root, 'b.json', runText(run));
    expect(applied.held).toEqual(expect.arrayContaining(held));
    const claims = await claimsOf(root);
    for (const id of applied.held) expect(claims.get(id)).toMatchObject({ evidence: 'recorded', seen: '2026-11-22' });
    expect(claims.get('operation:chat.create')?.source[0]).toBe('confirm api.z.ai 2026-11-22');
    // An answer does not confirm a field of its request.
    expect(applied.held.filter((id) => id.includes('Request'))).toEqual([]);
    // Contradicted, or seen in part.
    for (const id of ['field:ChatUsage.completion_tokens', 'enum:FinishReason', 'code:1211']) expect(applied.held).not.toContain(id);
    expect((await readFile(join(root, 'spec/openapi.yaml'), 'utf8')).startsWith(before)).toBe(true);
    expect(await readdir(join(root, 'test/recorded/confirmed'))).toEqual(['global.json']);
    const file = readExchanges(await readFile(join(root, 'test/recorded/confirmed/global.json'), 'utf8'));
    expect(file).toMatchObject({ confirm: { date: '2026-11-22', host: 'api.z.ai' }, exchanges: [{}, {}] });
  });

  it('prints a difference as a change of its line, and does not make it', async () => {
    const root = await tree();
    const { differences } = await applyRun(root, 'b.json', runText(run));
    expect(differences).toHaveLength(2);
    expect(differences[0]).toMatch(/^--- spec\/openapi\.yaml\n\+\+\+ spec\/openapi\.yaml\n@@ line \d+ @@\n .*\n\+ +# seen a text\n# differs/);
    expect(differences[1]).toContain('chat unknown model answer: expected a refusal with 400 1211, seen 404 1211');
  });

  it('changes no file the second time, and a later date takes the place of the first', async () => {
    const root = await tree();
    await applyRun(root, 'b.json', runText(run));
    expect((await applyRun(root, 'b.json', runText(run))).changed).toEqual([]);
    await applyRun(root, 'b.json', runText({ ...run, date: '2027-01-02' }));
    await applyRun(root, 'b.json', runText({ ...run, host: 'open.bigmodel.cn', date: '2026-12-01' }));
    const claim = (await claimsOf(root)).get('operation:chat.create');
    expect(claim).toMatchObject({ seen: '2027-01-02' });
    expect(claim?.source.slice(0, 2)).toEqual(['confirm api.z.ai 2027-01-02', 'confirm open.bigmodel.cn 2026-12-01']);
  });

  it.each([
    ['of a mock', { host: '127.0.0.1:4010' }, 'confirm.host is not a host of the service'],
    ['of another version of the package', { package: '0.0.1' }, 'confirm.package is not'],
  ])('refuses a file %s', async (_what, change, message) => {
    await expect(tree().then((root) => applyRun(root, 'b.json', runText({ ...run, ...change })))).rejects.toThrow(message);
  });

  it('refuses a confirmed claim that no longer exists', async () => {
    const root = await tree();
    await applyRun(root, 'b.json', runText(run));
    const file = join(root, 'spec/openapi.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('  operation:chat.create:', '  operation:chat.made:'));
    await expect(claimsOf(root)).rejects.toThrow('x-confirmed > operation:chat.made: is a claim that does not exist');
  });
});
