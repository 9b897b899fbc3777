import type { Client } from 'modelsvc';
import type { AgentContentPart, AgentRunRequest } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import type { Screen } from '../../terminal/screen.ts';
import { fileLink, pictures, promptText } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { answerText, awaitRun, textOf, variablesOf } from './answer.ts';

export const run: Handler = async (cli, input) => {
  const agent = input.arg(0);
  if (input.flag('stream') && input.flag('wait')) throw usageError('--stream and --wait exclude each other');
  const variables = variablesOf(input);
  const request: AgentRunRequest = {
    agent_id: agent,
    messages: [{ role: 'user', content: await contentOf(cli.screen, input) }],
    conversation_id: input.text('conversation'),
    ...(variables && { custom_variables: variables }),
  };
  const client = await cli.make.client();
  if (input.flag('stream')) return stream(cli, client, request);
  const reply = await client.agents().invoke(slowContext(cli), request);
  const { async_id: id } = reply;
  const isDone = (reply.choices?.length ?? 0) > 0 || !id;
  if (isDone || !input.flag('wait')) return cli.screen.result(reply, () => cli.screen.clean(textOf(reply) || (id ?? answerText(reply))));
  cli.screen.note(`run ${id}`);
  const result = await awaitRun(cli, input, agent, id);
  await cli.screen.result(result, () => cli.screen.clean(answerText(result)));
};

async function contentOf(screen: Screen, input: Input): Promise<AgentContentPart[]> {
  const images = await Promise.all(input.list('image').map((value) => fileLink(value, pictures)));
  const files = input.list('file-id');
  const words = input.args.slice(1);
  // Images and files need no text, so stdin is read only on request.
  const text = words.length === 0 && images.length + files.length > 0 ? undefined : await promptText(screen, 'TEXT', words);
  return [
    ...images.map((link) => ({ type: 'image_url', image_url: link })),
    ...files.map((id) => ({ type: 'file_id', file_id: id })),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
  ];
}

async function stream(cli: Cli, client: Client, request: AgentRunRequest): Promise<void> {
  for await (const chunk of client.agents().stream(cli.ctx, request)) {
    if (cli.screen.isText) await cli.screen.item(chunk, () => textOf(chunk));
    else await cli.screen.event(chunk);
  }
  if (cli.screen.isText) await cli.screen.endPieces();
}
