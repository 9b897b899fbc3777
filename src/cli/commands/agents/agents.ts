import type { Handler } from '../../cli.ts';
import { listIn } from '../../terminal/reply.ts';
import { answerText, awaitRun, messageText, variablesOf } from './answer.ts';

export const history: Handler = async (cli, input) => {
  const variables = variablesOf(input);
  const client = await cli.make.client();
  const request = { agent_id: input.arg(0), conversation_id: input.arg(1), ...(variables && { custom_variables: variables }) };
  const reply = await client.agents().conversation(cli.ctx, request);
  await cli.screen.result(reply, () => {
    const found = listIn(reply.choices).flatMap(({ message, messages }) => message ?? messages ?? []);
    return cli.screen.clean(found.length === 0 ? 'no files' : found.map(messageText).join('') || undefined);
  });
};

export const result: Handler = async (cli, input) => {
  const variables = variablesOf(input);
  const client = await cli.make.client();
  const request = { agent_id: input.arg(0), async_id: input.arg(1), ...(variables && { custom_variables: variables }) };
  const result = await client.agents().asyncResult(cli.ctx, request);
  await cli.screen.result(result, () => cli.screen.clean(answerText(result)));
};

export const wait: Handler = async (cli, input) => {
  const result = await awaitRun(cli, input, input.arg(0), input.arg(1));
  await cli.screen.result(result, () => cli.screen.clean(answerText(result)));
};
