/**
 * `npx tsx bench/tool-schemas.ts [TREE]`: what rewriting real tool schemas keeps and costs, first and again, and for an input that expands
 * exponentially. With the folder of another version of the sources, it prints both, measured in turns.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { figuresOf, losesMeaning, type Rewriter, schemasReport, toolsIn } from '../scripts/service/corpus/schemas.ts';
import * as ours from '../src/overlay/tool-schema/index.ts';

interface Corpus {
  readonly sources: readonly { readonly tools: readonly { readonly name: string; readonly inputSchema: Record<string, unknown> }[] }[];
}

const [tree] = process.argv.slice(2);
const other = tree === undefined ? [] : [(await import(pathToFileURL(resolve(tree, 'src/overlay/tool-schema/index.ts')).href)) as Rewriter];
const rewriters: readonly Rewriter[] = [ours, ...other];

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

let fresh = 0;

/** Rewrites are kept by the text of the schema: tools with another title are rewritten as if for the first time. */
function renewed(tools: readonly Tool[]): readonly Tool[] {
  return tools.map(({ name, input_schema }) => ({ name, input_schema: { ...input_schema, title: `Tool ${fresh++}` } }));
}

/** CPU of the first rewrite and of a later one by each rewriter, in ms: medians over rounds in which they take turns. */
function cost(tools: readonly Tool[]): string[] {
  const turns = rewriters.flatMap(({ sanitizeToolSchemas }) =>
    [renewed, (same: readonly Tool[]) => same].map((given) => ({ sanitizeToolSchemas, given, samples: [] as number[] })),
  );
  for (let round = 0; round < 15; round++)
    for (const { sanitizeToolSchemas, given, samples } of turns) {
      const [before, end] = [process.cpuUsage(), performance.now() + 30];
      let count = 0;
      do count++;
      while (sanitizeToolSchemas(given(tools)) && performance.now() < end);
      const { user, system } = process.cpuUsage(before);
      samples.push((user + system) / 1000 / count);
    }
  const median = (of: number[]): number => of.sort((a, b) => a - b)[of.length >> 1] ?? 0;
  return rewriters.map((_, index) => {
    const [once = 0, again = 0] = turns.slice(2 * index, 2 * index + 2).map(({ samples }) => median(samples));
    return `${once.toFixed(2)} ms, again ${again.toFixed(2)} ms (${(again / once).toFixed(2)})`;
  });
}

function report(name: string, tools: readonly Tool[]): void {
  const times = cost(tools);
  for (const [index, { sanitizeToolSchemas, explainToolSchema }] of rewriters.entries()) {
    const before = JSON.stringify(tools).length;
    const after = JSON.stringify(sanitizeToolSchemas(tools)).length;
    const rewrites = tools.flatMap((tool) => explainToolSchema(tool.input_schema));
    const lossy = rewrites.filter(losesMeaning).length;
    const whose = index === 0 ? '' : ', the other tree';
    console.log(`${name.padEnd(20)} ${times[index]}, ${before} to ${after} characters, ${rewrites.length} rewrites, ${lossy} of them lossy${whose}`);
  }
}

for (const [index, rewriter] of rewriters.entries()) {
  console.log(index === 0 ? 'this tree' : 'the other tree');
  console.log(schemasReport(figuresOf(toolsIn(fileURLToPath(new URL('../test/corpus', import.meta.url))), undefined, rewriter)));
}
report(`${typical.length} real tools`, typical);
const unions = corpus.sources.flatMap((source) => source.tools).filter(({ inputSchema }) => ours.explainToolSchema(inputSchema).length > 0);
for (const count of [8, 32, 128]) {
  const tools = Array.from({ length: count }, (_, index) => unions[index % unions.length] as (typeof unions)[number]);
  report(
    `${count} with unions`,
    tools.map(({ name, inputSchema }, index) => ({ name, input_schema: { ...inputSchema, title: `Tool ${index}` } })),
  );
}
report('doubling references', [{ name: 'exploding', input_schema: doubling(18) }]);
