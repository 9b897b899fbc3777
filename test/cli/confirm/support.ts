import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newClient } from 'modelsvc';
import type { Claim } from 'modelsvc/evidence.json';
import { type FakeOptions, type FakeService, fakeKey, startFakeService } from 'modelsvc/testing';
import { onTestFinished } from 'vitest';
import { type Ended, newHome, type RunOptions, run } from '../support/in-process.ts';

export interface Row {
  readonly id: string;
  readonly verdict: 'holds' | 'differs' | 'unreachable';
  readonly expected?: unknown;
  readonly seen?: unknown;
  readonly why?: string;
}

export interface Confirmed extends Ended {
  readonly rows: readonly Row[];
  row(id: string): Row | undefined;
}

export interface Service {
  readonly fake: FakeService;
  /** Folder of the run, with its bundle. */
  readonly home: string;
  readonly bundle: string;
  confirm(args?: readonly string[], options?: RunOptions): Promise<Confirmed>;
}

/** A fake that plays every claim: short answers, a task that exists, and only known models. */
export async function faithful(options: FakeOptions = {}): Promise<Service> {
  const fake = await startFakeService({ models: 'known', ...options });
  onTestFinished(() => fake.close());
  for (const operation of ['chat.create', 'anthropic.create', 'responses.create'] as const) fake.fallback(operation, { turn: { text: 'Hi' } });
  await newClient(fake.configFor())
    .chat()
    .createAsync(undefined, { model: 'glm-4.7-flash', messages: [{ role: 'user', content: 'Hi' }] });
  const home = await newHome();
  const bundle = join(home, 'bundle.json');
  return {
    fake,
    home,
    bundle,
    confirm: async (args = [], more = {}) => {
      const where = args.some((word) => ['--resume', '--bundle', '--dry-run'].includes(word)) ? [] : ['--bundle', bundle];
      const target = args.includes('--account') ? [] : ['--base-url', fake.url];
      const words = ['confirm', '--yes', '--json', ...where, ...target, ...args];
      const ended = await run(words, { cwd: home, ...more, env: { HOME: home, ...(target.length > 0 && { SVC_API_KEY: fakeKey }), ...more.env } });
      const rows = ended.stdout.startsWith('{') ? ((JSON.parse(ended.stdout) as { verdicts?: Row[] }).verdicts ?? []) : [];
      return { ...ended, rows, row: (id) => rows.find((one) => one.id === id) };
    },
  };
}

export async function packageClaims(): Promise<Claim[]> {
  const text = await readFile(new URL('../../../docs/evidence.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { claims: Claim[] }).claims;
}

/** Writes the claims of the package with some of them changed or added. Returns the path. */
export async function plantedEvidence(folder: string, planted: Readonly<Record<string, Partial<Claim>>>): Promise<string> {
  const claims = await packageClaims();
  const changed = claims.map((claim) => ({ ...claim, ...planted[claim.id] }));
  const added = Object.entries(planted)
    .filter(([id]) => !claims.some((claim) => claim.id === id))
    .map(([id, claim]) => ({ id, place: '', evidence: 'documented', source: ['July 2026-07'], seen: '2026-07', ...claim }));
  const path = join(folder, 'evidence-of-july.json');
  await writeFile(path, JSON.stringify({ format: 'modelsvc/evidence', version: 1, claims: [...changed, ...added] }));
  return path;
}
