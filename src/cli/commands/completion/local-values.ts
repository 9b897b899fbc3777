// Names for completion from local data: no request, no key.
import { currentModels } from '../../../generated/model-ids.ts';
import { storeFolder } from '../../accounts/folder.ts';
import { AccountStore } from '../../accounts/store.ts';
import type { LocalValues } from '../../table/complete.ts';

export function localValues(env: NodeJS.ProcessEnv): LocalValues {
  return async (kind) => {
    if (kind === 'model') return currentModels;
    return kind === 'tool' ? (await import('../../coding/tools/index.ts')).codingTools.map(({ id }) => id) : accountNames(env);
  };
}

async function accountNames(env: NodeJS.ProcessEnv): Promise<string[]> {
  const store = new AccountStore(storeFolder(env), new AbortController().signal);
  return [...(await store.accounts()).entries.keys()];
}
