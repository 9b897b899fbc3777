/**
 * Where an operation's CPU goes, function by function.
 *
 *     node bench/profile.mjs call chat
 *     node bench/profile.mjs stream messages --client anthropic --stub
 *
 * `call` is one complete reply, `stream` and `collect` are 64 KB blocks.
 */
import { parseArgs } from 'node:util';
import { disband, startCrew, startServer } from './crew.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    client: { type: 'string', default: 'modelsvc' },
    stub: { type: 'boolean', default: false },
    width: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '4' },
    top: { type: 'string', default: '40' },
  },
});
const [form = 'call', surface = 'chat'] = positionals;
const server = await startServer();
const crew = await startCrew([values.client], server.port);
try {
  const task = {
    mode: form === 'call' ? 'call' : 'blocks',
    form,
    surface,
    stub: values.stub,
    width: Number(values.width),
    budgetMs: Number(values.seconds) * 500,
  };
  const { each, functions } = await crew[0].ask('profile', task);
  console.log(`${values.client}, ${form}, ${surface}: ${each.toFixed(1)} µs of CPU each, under the profiler`);
  for (const [name, share] of functions.slice(0, Number(values.top))) console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
} finally {
  disband(crew);
  server.close();
}
