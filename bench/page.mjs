/** Runs a bundled program where there is no Node, as in a page; prints which of its files it loaded. A program that fails fails this one. */
import { pathToFileURL } from 'node:url';
import { blocks, reply, surfaceOfPath } from './wire/corpus.mjs';

const { argv, stdout } = process;
let answered = 0;
let printed = 0;
process.once('beforeExit', () => {
  // Some clients keep their failures to themselves.
  if (answered === 0 || printed === 0) throw new Error('the program sent nothing or printed nothing');
  stdout.write(JSON.stringify(globalThis.downloads));
});

globalThis.downloads = [];
console.log = () => {
  printed++;
};
// Node sets its fetch up at the first use, and needs for it what is taken away below.
await new Response('').text();
globalThis.fetch = async (input, init) => {
  const asked = input instanceof Request ? input : new Request(input, init);
  const surface = surfaceOfPath(asked.url);
  const { stream = false } = await asked.json();
  answered++;
  return stream
    ? new Response(new Blob(blocks(surface, 5)).stream(), { headers: { 'content-type': 'text/event-stream' } })
    : new Response(reply[surface], { headers: { 'content-type': 'application/json' } });
};
// By this most libraries know Node. Buffer stays: Node's own fetch needs it.
Object.defineProperty(globalThis, 'process', { value: undefined });

await import(pathToFileURL(argv[2]).href);
