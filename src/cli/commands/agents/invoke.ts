import type { AgentRunRequest, Client } from 'modelsvc';
import type { AgentContentPart } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { fileLink, pictures, promptText } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { answerText, awaitRun, textOf, variablesOf } from './answer.ts';

export const run: Handler = async (cli, input) => {
  const agent = input.arg(0);
  if (input.flag('stream') && input.flag('wait')) throw usageError('--stream and --wait exclude each other');
  const variables = variablesOf(input);
  const request: AgentRunRequest = {
    agent_id: agent,
    messages: [{ role: 'user', content: await contentOf(cli, input) }],
    conversation_id: input.text('conversation'),
    ...(variables && { custom_variables: variables }),
  };
  const client = await cli.client();
  if (input.flag('stream')) return stream(cli, client, request);
  const reply = await client.agents().invoke(slowContext(cli), request);
  const { async_id: id } = reply;
  const isDone = (reply.choices?.length ?? 0) > 0 || !id;
  if (isDone || !input.flag('wait')) return cli.output.result(reply, () => cli.output.clean(textOf(reply) || (id ?? answerText(reply))));
  cli.output.note(`run ${id}`);
  const result = await awaitRun(cli, input, agent, id);
  await cli.output.result(result, () => cli.output.clean(answerText(result)));
};

async function contentOf(cli: Cli, input: Input): Promise<AgentContentPart[]> {
  const images = await Promise.all(input.list('image').map((value) => fileLink(value, pictures)));
  const files = input.list('file-id');
  const words = input.args.slice(1);
  // Images and files need no text, so stdin is read only on request.
  const text = words.length === 0 && images.length + files.length > 0 ? undefined : await promptText(cli, 'TEXT', words);
  return [
    ...images.map((link) => ({ type: 'image_url', image_url: link })),
    ...files.map((id) => ({ type: 'file_id', file_id: id })),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
  ];
}

async function stream(cli: Cli, client: Client, request: AgentRunRequest): Promise<void> {
  for await (const chunk of client.agents().stream(cli.ctx, request)) {
    if (cli.output.isText) await cli.output.item(chunk, () => textOf(chunk));
    else await cli.output.event(chunk);
  }
  if (cli.output.isText) await cli.output.endPieces();
}
