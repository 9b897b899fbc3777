/** `npx tsx bench/tool-schemas.ts`: cost and output size of rewriting real tool schemas, first and again, and an input that expands exponentially. */
import { readFileSync } from 'node:fs';
import { explainToolSchema, sanitizeToolSchemas } from '../src/overlay/index.ts';

interface Corpus {
  readonly sources: readonly { readonly tools: readonly { readonly name: string; readonly inputSchema: Record<string, unknown> }[] }[];
}

const corpus = JSON.parse(readFileSync(new URL('../test/corpus/mcp-tools.json', import.meta.url), 'utf8')) as Corpus;
const typical = corpus.sources
  .flatMap((source) => source.tools)
  .slice(0, 200)
  .map((tool) => ({ name: tool.name, input_schema: tool.inputSchema }));

/** Each definition refers twice to the next: 1.7 KB that expand to 2^18 leaves. */
function doubling(levels: number): Record<string, unknown> {
  const defs: Record<string, unknown> = { [`D${levels}`]: { type: 'string', description: 'leaf' } };
  for (let level = 0; level < levels; level++)
    defs[`D${level}`] = { type: 'object', properties: { a: { $ref: `#/$defs/D${level + 1}` }, b: { $ref: `#/$defs/D${level + 1}` } } };
  return { $ref: '#/$defs/D0', $defs: defs };
}

type Tool = { readonly name: string; readonly input_schema: Record<string, unknown> };

/** Rewrites are kept for the default growth only. */
const first = { maxGrowth: 2.01 };

/** CPU of the first rewrite and of a later one, in ms: medians over alternating rounds. */
function cost(tools: readonly Tool[]): [first: number, again: number] {
  const samples: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * 15; round++) {
    const options = round % 2 === 0 ? first : {};
    const [before, end] = [process.cpuUsage(), performance.now() + 30];
    let count = 0;
    do count++;
    while (sanitizeToolSchemas(tools, options) && performance.now() < end);
    const { user, system } = process.cpuUsage(before);
    samples[round % 2 === 0 ? 0 : 1].push((user + system) / 1000 / count);
  }
  const median = (of: number[]): number => of.sort((a, b) => a - b)[of.length >> 1] ?? 0;
  return [median(samples[0]), median(samples[1])];
}

function report(name: string, tools: readonly Tool[]): void {
  const before = JSON.stringify(tools).length;
  const after = JSON.stringify(sanitizeToolSchemas(tools)).length;
  const rewrites = tools.flatMap((tool) => explainToolSchema(tool.input_schema));
  const [once, again] = cost(tools);
  const lossy = rewrites.filter((one) => one.lossy).length;
  const ratio = `${once.toFixed(2)} ms, again ${again.toFixed(2)} ms (${(again / once).toFixed(2)})`;
  console.log(`${name.padEnd(20)} ${ratio}, ${before} to ${after} characters, ${rewrites.length} rewrites, ${lossy} of them lossy`);
}

report(`${typical.length} real tools`, typical);
const unions = corpus.sources.flatMap((source) => source.tools).filter(({ inputSchema }) => explainToolSchema(inputSchema).length > 0);
for (const count of [8, 32, 128]) {
  const tools = Array.from({ length: count }, (_, index) => unions[index % unions.length] as (typeof unions)[number]);
  report(
    `${count} with unions`,
    tools.map(({ name, inputSchema }, index) => ({ name, input_schema: { ...inputSchema, title: `Tool ${index}` } })),
  );
}
report('doubling references', [{ name: 'exploding', input_schema: doubling(18) }]);
