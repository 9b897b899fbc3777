/** The 25 checks that every runtime runs. They use only the web platform; the fake service is in another process. */
import { callChecks } from './calls.ts';
import { programChecks } from './programs.ts';
import { type Places, type World, worldOf } from './world.ts';

export type { Places } from './world.ts';

/** The result of one check; `detail` is its error. */
export interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const checks = { ...callChecks, ...programChecks };

export const checkNames: readonly string[] = Object.keys(checks);

/** Runs the checks, one after the other. */
export async function runChecks({ modelsvc, ...places }: Places & Pick<World, 'modelsvc'>): Promise<Result[]> {
  const world = worldOf(modelsvc, places);
  const results: Result[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const detail = await check(world).then(() => '', textOf);
    results.push({ name, ok: detail === '', detail });
  }
  return results;
}

function textOf(error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return `${error}${cause === undefined ? '' : ` (${cause})`}`;
}
