// Names for completion from local data: no request, no key.
import { storeFolder } from '../../accounts/folder.ts';
import { AccountStore } from '../../accounts/store.ts';
import type { LocalValues } from '../../table/complete.ts';

/** Models for completion, newest first. `models list` has all of them. */
const models = ['glm-5.2', 'glm-5.1', 'glm-5', 'glm-4.7', 'glm-4.6', 'glm-4.6v', 'glm-4.5', 'glm-4.5-air', 'glm-4.5-flash'];

export function localValues(env: NodeJS.ProcessEnv): LocalValues {
  return async (kind) => {
    if (kind === 'model') return models;
    return kind === 'tool' ? (await import('../../coding/tools/index.ts')).codingTools.map(({ id }) => id) : accountNames(env);
  };
}

async function accountNames(env: NodeJS.ProcessEnv): Promise<string[]> {
  const store = new AccountStore(storeFolder(env), new AbortController().signal);
  return [...(await store.accounts()).entries.keys()];
}
