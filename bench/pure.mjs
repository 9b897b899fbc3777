/** The library's pure parts, straight from the source, in a process of their own: `pure.mjs rounds` prints samples as JSON. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explodingTool, typicalTools } from './wire/tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { build } = createRequire(join(root, 'package.json'))('esbuild');
const source = `
  export { sanitizeToolSchemas } from './src/overlay/tool-schema/index.ts';
  export { check } from './src/overlay/validation/validation.ts';
  export { chatCreate } from './src/generated/routes.ts';`;
const bundle = await build({
  stdin: { contents: source, resolveDir: root, loader: 'ts' },
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  write: false,
});
const { sanitizeToolSchemas, check, chatCreate } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`
);

const rounds = Number(process.argv[2] ?? 5);

/** CPU of one run in µs, by round; each round repeats the work for a while. */
function cost(work, budgetMs = 30) {
  const samples = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    let count = 0;
    const end = performance.now() + budgetMs;
    const before = process.cpuUsage();
    do {
      work();
      count++;
    } while (performance.now() < end);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) samples.push((user + system) / count);
  }
  return samples;
}

const toMilliseconds = (samples) => samples.map((value) => value / 1000);
const message = (index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Message number ${index} about the weather of a harbour town.`,
});
const small = { model: 'glm-4.6', messages: [{ role: 'system', content: 'You answer briefly.' }, message(0)] };
const plain = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] };
const tool = (index) => ({ type: 'function', function: { name: `tool_${index}`, description: 'Weather of a city.', parameters: plain } });
const large = {
  model: 'glm-4.6',
  messages: Array.from({ length: 200 }, (_, index) => message(index)),
  tools: Array.from({ length: 20 }, (_, index) => tool(index)),
};

// A check that finds no fault would not measure the check.
try {
  check(chatCreate.rules.body, { ...small, model: 7 });
  throw new Error('an invalid request was not refused');
} catch (error) {
  if (error.path !== 'model') throw error;
}

const typical = typicalTools(200);
const exploding = [explodingTool(40)];
// Rewrites are kept for the default growth only.
const first = { maxGrowth: 2.01 };
console.log(
  JSON.stringify({
    typical: toMilliseconds(cost(() => sanitizeToolSchemas(typical, first))),
    again: toMilliseconds(cost(() => sanitizeToolSchemas(typical))),
    exploding: toMilliseconds(cost(() => sanitizeToolSchemas(exploding, first))),
    small: cost(() => check(chatCreate.rules.body, small)),
    large: cost(() => check(chatCreate.rules.body, large)),
  }),
);
