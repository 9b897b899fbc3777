// A process that adds entries to a log, and acknowledges each on stdout. It is bundled and started by the tests.
import { argv } from 'node:process';
import { lineOf, newId } from '../../../src/cli/log/entry.ts';
import { append } from '../../../src/cli/log/segments.ts';

const [folder = '', count = ''] = argv.slice(2);

for (let at = 0; at < Number(count); at++) {
  const id = newId();
  // Long lines are those that a kill can cut off. Every other entry is one that the test removes meanwhile.
  const answer = id.repeat(at % 8 === 2 ? 3_000 : 20);
  const model = at % 2 === 0 ? 'kept' : 'removed';
  append(folder, '2026-11', lineOf({ v: 1, id, time: new Date().toISOString(), command: 'chat', model, text: { prompt: id, answer } }));
  // Lines of 4 KB soon fill the pipe, so that the writer does not run ahead of its reader.
  const line = `${model} ${id} `.padEnd(4095, '.');
  await new Promise((done) => process.stdout.write(`${line}\n`, done));
}
