/** `npm run build`: the command of tsdown, without its notes on the version of Node, and with doc comments that editors find. Next to it, the man page. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { sections } from '../src/cli/commands/table.ts';
import { loadAll } from '../src/cli/table/spec.ts';
import { manPage } from './cli-page/man.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

await build({ logLevel: 'warn' });
await writeFile(join(dist, 'modelsvc.1'), manPage(sections, await loadAll(sections)));

/** Editors show the text of a parameter only from the comment of its method. */
const ctx = '@param ctx A Context such as `{ signal, timeout }`, an AbortSignal, or undefined. It may be left out.';

// The bundler prints a comment of one line after the member before, where an editor reads it as that member's or as none.
for (const name of await readdir(dist, { recursive: true })) {
  if (!/\.(js|d\.ts)$/.test(name)) continue;
  const file = join(dist, name);
  // The bundler's marks stay for modules of other packages, which THIRD-PARTY-NOTICES is compared with.
  const text = (await readFile(file, 'utf8')).replace(/^\/\/#(region src\/.*|endregion)\n/gm, '');
  if (name.endsWith('.js')) {
    await writeFile(file, text);
    continue;
  }
  const placed = text.replace(/^( *)(.*;) (\/\*\*.*\*\/)$/gm, '$1$2\n$1$3');
  // An editor shows a form of a method with its own comment only, so the form with ctx gets the comment of the one without.
  const twice = placed.replace(/( *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)(( +)(\w+)\b(?:[^\n]*\n){1,4}?)(?=\3\4[\w<>=, ]*\(ctx: CallContext\b)/g, '$1$2$1');
  await writeFile(file, twice.replace(/\s*\*\/(\n +)(?=[\w<>=, ]+\(ctx\??: CallContext\b)/g, `$1 * ${ctx}$1 */$1`));
}
