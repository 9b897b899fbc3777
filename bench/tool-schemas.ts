/** `npm run bench:schemas`: time and output size of normalizing 200 real tool schemas, and an input that expands exponentially. */
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

function median(run: () => unknown, times: number): number {
  const taken = Array.from({ length: times }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return taken.sort((a, b) => a - b)[times >> 1] ?? 0;
}

function report(name: string, tools: readonly { name: string; input_schema: Record<string, unknown> }[]): void {
  const before = JSON.stringify(tools).length;
  const after = JSON.stringify(sanitizeToolSchemas(tools)).length;
  const rewrites = tools.flatMap((tool) => explainToolSchema(tool.input_schema));
  const ms = median(() => sanitizeToolSchemas(tools), 21);
  const lossy = rewrites.filter((one) => one.lossy).length;
  console.log(`${name.padEnd(28)} ${ms.toFixed(2)} ms, ${before} to ${after} characters, ${rewrites.length} rewrites, ${lossy} of them lossy`);
}

report(`${typical.length} real tools`, typical);
report('doubling references', [{ name: 'exploding', input_schema: doubling(18) }]);
