/**
 * Ask about each line of a file, and write the answers as they arrive. Run the program again after a crash or a failure: rows with an answer are not
 * asked again.
 *
 *     SVC_API_KEY=... npx tsx rows.ts countries.txt capitals.jsonl
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  type Context,
  contentText,
  finishError,
  isApiError,
  mapCalls,
  newClient,
} from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  concurrency: 'auto',
});
const [input = 'countries.txt', output = 'capitals.jsonl'] =
  process.argv.slice(2);

async function answer(row: string, ctx: Context): Promise<string> {
  const reply = await c
    .chat()
    .createSimple(ctx, 'glm-5.3', `The capital of ${row}, in one word.`, {
      effort: 'low',
    });
  const incomplete = finishError(reply);
  if (incomplete) throw incomplete;
  return contentText(reply.choices[0]?.message.content);
}

const file = await open(output, 'a+');
const text = await file.readFile('utf8');
const lines = text.split('\n');
const begin = '{"row":';
if (lines.some((line) => !line.startsWith(begin.slice(0, line.length))))
  throw new Error(`${output} is not a file of this program`);
// A kill may leave a part of a line at the end of the file.
const part = lines.pop() ?? '';
await file.truncate(Buffer.byteLength(text) - Buffer.byteLength(part));
const done = new Set(lines.map((line): unknown => JSON.parse(line).row));
const rows = readFileSync(input, 'utf8').split(/\r?\n/);
for await (const result of mapCalls(
  new Set(rows.filter((row) => row !== '' && !done.has(row))),
  answer,
)) {
  if (result.status === 'fulfilled')
    await file.appendFile(
      `${JSON.stringify({ row: result.item, answer: result.value })}\n`,
    );
  // A failure of the key or the account would come for every row.
  else if (
    isApiError(result.reason) &&
    ['auth', 'account', 'billing', 'quota'].includes(result.reason.category)
  )
    throw result.reason;
  else console.error(`${result.item}: ${result.reason}`);
  if (result.status === 'rejected') process.exitCode = 1;
}
