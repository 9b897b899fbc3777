// A null where the wiring needs an object or a list: it is filled, and unload gives it back.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { parsed, valueAt } from './support/checks.ts';
import { codingHome, key } from './support/home.ts';

const env = { SVC_API_KEY: key, AIDER_OPENAI_API_KEY: key, MODELSVC_API_KEY: key, ZHIPU_API_KEY: key };

test.each(wiredTools.map(({ id }) => id))('%s: the containers of its settings are null', async (id) => {
  const user = await codingHome();
  const load = ['coding', 'load', id, '--yes', '--no-check', '--account', 'work', ...(id === 'cursor' ? [] : ['--mcp'])];
  await user.ok(load, { env });
  const { entries } = await user.record();
  await user.ok(['coding', 'unload', id, '--yes']);
  const files = [...new Set(entries.map(({ file }) => file))].map((file) => {
    const own = entries.filter((entry) => entry.file === file);
    const names = own.flatMap(({ edits }) => edits.flatMap(({ path }) => (path.length > 1 && typeof path[0] === 'string' ? [path[0]] : [])));
    return { file, format: own[0]?.format ?? 'json', names: [...new Set(names)] };
  });
  for (const { file, format, names } of files) {
    if (format === 'toml' || names.length === 0) continue;
    const lines = names.map((name) => (format === 'yaml' ? `${name}: null` : `  ${JSON.stringify(name)}: null`));
    await user.put(file.slice(user.home.length + 1), format === 'yaml' ? `a: 1\n${lines.join('\n')}\n` : `{\n${lines.join(',\n')}\n}\n`);
  }
  const before = await user.tree();
  await user.ok(load, { env });
  await user.ok(['coding', 'doctor', id], { env });
  for (const { file, format, names } of files)
    for (const name of names) expect(valueAt(parsed(format, await readFile(file, 'utf8')), name), name).toEqual(expect.any(Object));
  await user.ok(['coding', 'unload', id, '--yes']);
  expect(await user.tree()).toEqual(before);
});
