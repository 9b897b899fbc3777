// The repository as a visitor meets it: the first screen of README, and the workflow of CI.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root, textOf } from '../docs/snippets.ts';

it.each([
  ['README.md', /^## Why not/m],
  ['README.zh-CN.md', /^## 为什么/m],
])('%s has its parts, a command, its program, the mock and the key within 60 lines', (file, next) => {
  const [screen = ''] = textOf(file).split(next);
  expect(screen.split('\n').length).toBeLessThanOrEqual(61);
  for (const part of [
    'npm ci && npm pack',
    'npm install ../modelsvc/modelsvc-*.tgz',
    'npx modelsvc mock',
    'npx modelsvc chat',
    'skills/modelsvc/SKILL.md',
    'newClientFromEnv()',
    "effort: 'low'",
    'export SVC_API_KEY=',
  ])
    expect(screen).toContain(part);
});

it('CI runs the checks of a fresh clone for each push and request, deep tests each night, and the runtimes each week', () => {
  const { on, jobs } = parse(textOf('.github/workflows/ci.yml')) as {
    on: Record<string, unknown>;
    jobs: Record<string, { steps: readonly { run?: string; with?: Record<string, unknown> }[] }>;
  };
  expect(Object.keys(on)).toEqual(expect.arrayContaining(['push', 'pull_request', 'schedule']));
  const runs = (job: string): string => jobs[job]?.steps.map(({ run = '' }) => run).join('\n') ?? '';
  expect(runs('checks')).toContain('bash .ci/run');
  expect(runs('deep')).toContain('npm run test:deep');
  expect(runs('runtimes')).toMatch(/npm ci\n[\s\S]*npm run test:runtimes\n[\s\S]*npm run test:node-versions/);
});

it.each(readdirSync(`${root}.github/workflows`))('%s runs only scripts of the package, and pins each action to a version', (file) => {
  const { jobs } = parse(textOf(`.github/workflows/${file}`)) as { readonly jobs: Readonly<Record<string, { readonly steps: readonly object[] }>> };
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };
  const steps = Object.values(jobs).flatMap((job) => job.steps as { readonly run?: string; readonly uses?: string }[]);
  const named = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name));
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(steps.filter(({ uses }) => uses !== undefined && !/@v\d+$/.test(uses))).toEqual([]);
});
