import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { currentModels, defaultModels } from '../../src/generated/model-ids.ts';
import { catalogue } from '../../src/generated/models.ts';

const project = new URL('../../', import.meta.url).pathname;
const defaults: readonly string[] = [defaultModels.text, defaultModels.vision];

/** Files that teach another model, and the reason. */
const others: Readonly<Record<string, readonly string[]>> = {
  // Batches accept neither glm-5.3 nor glm-5.2.
  'docs/guides/batches.md': ['glm-5.1'],
  'examples/batch.ts': ['glm-5.1'],
  'src/overlay/services/batch.ts': ['glm-5.1'],
  'src/cli/commands/batches/requests.ts': ['glm-5.1'],
  // Models to fall back to.
  'docs/guides/errors.md': ['glm-4.7'],
  'examples/errors-and-fallback.ts': ['glm-4.7', 'glm-4.7-flash'],
  // The list that Codex gets.
  'src/testing/replies/codex-models.ts': ['glm-5-turbo'],
  // No tokenizer of a later model is documented.
  'src/cli/commands/tokens/count.ts': ['glm-4.6'],
  'examples/tokens-cost-quota.ts': ['glm-4.6'],
};

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(join(project, folder), { recursive: true });
  return found.map((path) => join(folder, path)).filter((path) => /\.(ts|md)$/.test(path) && !path.includes('node_modules'));
}

const folders = ['docs/guides', 'examples', 'src/overlay', 'src/cli', 'src/testing', 'src/mcp', 'src/proxy', 'src/observe', 'src/debug'];
const files = ['README.md', 'README.zh-CN.md', ...(await Promise.all(folders.map(filesOf))).flat()];
const chatModels = new Map(catalogue.filter(({ kind }) => kind === 'chat').map(({ id }) => [id, currentModels.includes(id)]));
const texts = new Map(await Promise.all(files.map(async (path) => [path, await readFile(join(project, path), 'utf8')] as const)));

/** Chat models in quotes, as programs and commands write them. Placeholders such as `glm-x` are not ids. */
function taught(text: string): string[] {
  const quoted = [...text.matchAll(/(["'])(glm-\d[\w.-]*)\1/g)].map(([, , id = '']) => id);
  const flags = [...text.matchAll(/(?:--model|-m|models show) (glm-\d[\w.-]*)/g)].map(([, id = '']) => id);
  return [...quoted, ...flags];
}

describe('the models that the package teaches', () => {
  it('are found', () => expect([...texts.values()].flatMap(taught).length).toBeGreaterThan(60));

  it('are current, and no id that the service never had or is to retire', () => {
    const wrong = [...texts].flatMap(([path, text]) => taught(text).flatMap((id) => (chatModels.get(id) ? [] : [`${path}: ${id}`])));
    expect(wrong).toEqual([]);
  });

  it('are the default of the spec, with the named exceptions', () => {
    const found = [...texts].flatMap(([path, text]) =>
      taught(text).flatMap((id) => (defaults.includes(id) || others[path.replace('.zh-CN.', '.')]?.includes(id) ? [] : [`${path}: ${id}`])),
    );
    expect(found).toEqual([]);
    for (const [path, ids] of Object.entries(others)) expect(taught(texts.get(path) ?? '')).toEqual(expect.arrayContaining([...ids]));
  });
});
