import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTarball } from './installed.ts';
import { appIn } from './runtimes/runtime.ts';
import { startService } from './runtimes/service.ts';
import { failures } from './runtimes/table.ts';

export interface Outcome {
  readonly passed: number;
  /** Names of the other checks, with their errors. */
  readonly failed: readonly string[];
}

/** Runs the checks of the runtimes in a project that has the package: by import, then by require. */
export async function checkInstalled(app: string, node: string = process.execPath): Promise<Outcome[]> {
  const service = await startService();
  try {
    const { results } = await appIn(app, service);
    const outcomes: Outcome[] = [];
    for (const name of ['cli.mjs', 'cli.cjs']) {
      const list = await results(node, [name]);
      const failed = failures({ name, version: '', results: list });
      outcomes.push({ passed: list.length - failed.length, failed });
    }
    return outcomes;
  } finally {
    await service.close();
  }
}

/** Installs the packed package into an empty project, which is removed afterwards. */
export async function withInstalled<T>(use: (app: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'installed-'));
  try {
    return await use((await installTarball(folder)).app);
  } finally {
    await rm(folder, { recursive: true });
  }
}
