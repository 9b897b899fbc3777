/** `bench/RESULTS.md`: the table, what it was made with, and the notes that were added by hand. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { markdown } from './table.mjs';

const place = new URL('RESULTS.md', import.meta.url);
const notesMark = '<!-- Below this line everything is written by hand and kept. -->';

async function json(path) {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
}

export async function writeResults({ table, noise, load, form, plan }) {
  const before = await readFile(place, 'utf8').catch(() => '');
  const notes = before.split(notesMark)[1] ?? '\n';
  const { version } = await json('../package.json');
  const { dependencies } = await json('package.json');
  const versions = Object.entries(dependencies).map(([name, pinned]) => `${name} ${pinned}`);
  const text = `# What the library costs

Written by \`npm run bench -- ${form === 'full' ? '--full ' : ''}--write\`. Only the ratios mean something on another machine.

CPU is user + system of the client's process, unless the row says otherwise. The column \`modelsvc\` is the library's own figure. The other columns are
modelsvc divided by that client, so below 1 modelsvc is cheaper: medians of round-by-round ratios ± half the distance of the quartiles. Rows with
“added”, “slope”, “modules” or “peak” are not ratios: they show each client's own figure, as do rows with a figure for modelsvc alone.

Each client runs in a process of its own against a server in another, over plain HTTP on loopback, in random order within each of ${plan.rounds} rounds. It has the
settings that you would use, and every operation checks that all of its text arrived. \`fetch\`, \`undici\` (\`undici.request\`) and \`node-http\` (with the bare eventsource-parser)
are written by hand; \`floor\` is decode + split + JSON.parse, with which openapi-fetch, fetch and undici read streams.

${markdown(table)}

- Made with modelsvc ${version}, Node ${process.versions.node}, ${cpus().length} processors, ${versions.join(', ')}.
- Noise, the same client in two processes: ${noise.join('; ')}. Load of the machine before: ${load}.

${notesMark}${notes}`;
  await writeFile(place, text);
}
