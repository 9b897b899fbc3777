// The package as it is installed, without the optional peers of `modelsvc/testing`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = `
import { judgeExchanges } from 'modelsvc/testing';
const request = { method: 'GET', host: 'api.z.ai', path: '/api/paas/v4/models', headers: {} };
const exchanges = [{ request, response: { status: 200, headers: { 'content-type': 'application/json' }, body: { object: 'list', data: {} } } }];
console.log(await judgeExchanges({ exchanges }).then(({ findings }) => findings.map(({ place }) => place).join(), (error) => error.message));
`;

it('judgeExchanges names the peers to install, and works with them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modelsvc-peers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const copy = (from: string, to = from): void => cpSync(join(root, from), join(folder, 'node_modules', to), { recursive: true });
  for (const part of ['dist', 'spec/openapi.yaml', 'docs/evidence.json', 'package.json']) copy(part, `modelsvc/${part}`);
  for (const name of ['eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers']) copy(`node_modules/${name}`, name);
  writeFileSync(join(folder, 'judge.mjs'), program);
  const run = (): string => execFileSync(process.execPath, ['judge.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(run()).toContain(
    'judgeExchanges: ajv and yaml are needed: they are optional peers, and one of them is not installed. Run: npm install --save-dev ajv yaml',
  );
  for (const name of ['ajv', 'yaml', 'fast-deep-equal', 'json-schema-traverse', 'require-from-string', 'fast-uri'])
    copy(`node_modules/${name}`, name);
  expect(run()).toBe('response.body.data\n');
});
