/** `npm run build`: the command of tsdown, without its notes on the version of Node, and doc comments at the members that they describe. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

await build({ logLevel: 'warn' });

// The bundler prints a comment of one line behind the member before, where an editor reads it as that member's or as none.
for (const name of await readdir(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(dist, name);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^( *)(.*;) (\/\*\*.*\*\/)$/gm, '$1$2\n$1$3'));
}
