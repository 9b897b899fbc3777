// Names for completion from local data: no request, no key.
import { storeFolder } from '../../accounts/folder.ts';
import { ownModels } from '../../accounts/own-models.ts';
import { AccountStore } from '../../accounts/store.ts';
import { readSettings } from '../../settings/settings.ts';
import { TemplateStore } from '../../settings/templates.ts';
import type { LocalValues } from '../../table/complete.ts';
import { currentModels } from '../../table/model-ids.ts';
import { settingSpecs } from '../../table/settings.ts';

export function localValues(env: NodeJS.ProcessEnv): LocalValues {
  return async (kind) => {
    if (kind === 'model') return modelIds(env);
    if (kind === 'template') return new TemplateStore(env).names();
    if (kind === 'setting') return settingSpecs.map(({ name }) => name);
    return kind === 'tool' ? (await import('../../coding/tools/index.ts')).codingTools.map(({ id }) => id) : accountNames(env);
  };
}

/** A broken models.yaml or config.json is reported by the command that needs it. */
async function modelIds(env: NodeJS.ProcessEnv): Promise<string[]> {
  const { rows } = await ownModels(env).catch(() => ({ rows: [] }));
  const own = rows.map((row) => (row as Partial<typeof row> | null)?.id).filter((id) => typeof id === 'string');
  const settings = await readSettings(env).catch(() => new Map<string, unknown>());
  const aliases = [...settings.keys()].filter((name) => name.startsWith('alias.')).map((name) => name.slice('alias.'.length));
  return [...new Set([...aliases, ...own, ...currentModels])];
}

async function accountNames(env: NodeJS.ProcessEnv): Promise<string[]> {
  const store = new AccountStore(storeFolder(env), new AbortController().signal);
  return [...(await store.accounts()).entries.keys()];
}
