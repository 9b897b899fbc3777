/**
 * Stream a conversation with tools, and ask before a tool runs. Without a terminal, tools that change files are denied.
 *
 *     SVC_API_KEY=... npx tsx tools-with-approval.ts
 */
import { createInterface } from 'node:readline/promises';
import {
  defineTool,
  newClient,
  type ToolDecision,
  textDeltas,
} from 'modelsvc';
import type { ToolRoundCall } from 'modelsvc/types';
import { z } from 'zod';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

const files = new Map([
  ['notes.txt', 'Buy milk.'],
  ['old.log', 'started'],
]);
const tools = [
  defineTool({
    name: 'list_files',
    description: 'Lists the files.',
    input: z.object({}),
    run: () => [...files.keys()],
  }),
  defineTool({
    name: 'delete_file',
    description: 'Deletes a file.',
    input: z.object({ name: z.string() }),
    run: ({ name }) =>
      files.delete(name) ? 'deleted' : 'there is no such file',
  }),
];

async function decide(call: ToolRoundCall): Promise<ToolDecision> {
  const text = `${call.name} ${JSON.stringify(call.input)}`;
  // The arguments are invalid: the call does not run in any case, and the model receives the problem.
  if (call.problem !== undefined || call.name === 'list_files')
    return 'allow';
  if (!process.stdin.isTTY) {
    console.log(`[denied: ${text}]`);
    return { deny: 'changes need the approval of a person' };
  }
  const terminal = createInterface({
    input: process.stdin,
    output: process.stdout,
  });
  const answer = await terminal.question(`\n${text}? [y/N] `);
  terminal.close();
  return answer.trim().toLowerCase() === 'y'
    ? 'allow'
    : { deny: 'the user said no' };
}

const stream = c.chat().streamWithTools(
  {
    model: 'glm-5.3',
    effort: 'low',
    messages: [{ role: 'user', content: 'Delete the log files.' }],
  },
  tools,
  {
    // One question at a time: two readers of one terminal would share its input.
    onRound: async ({ calls }) => {
      const decisions: ToolDecision[] = [];
      for (const call of calls) decisions.push(await decide(call));
      return decisions;
    },
  },
);
for await (const text of textDeltas(stream)) process.stdout.write(text);
console.log(`\nfiles: ${[...files.keys()].join(', ')}`);
