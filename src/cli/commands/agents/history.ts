import type { Handler } from '../../cli.ts';
import { messageText } from './answer.ts';
import { variablesOf } from './variables.ts';

export const run: Handler = async (cli, input) => {
  const variables = variablesOf(input);
  const client = await cli.client();
  const request = { agent_id: input.arg(0), conversation_id: input.arg(1), ...(variables && { custom_variables: variables }) };
  const reply = await client.agents().conversation(cli.ctx, request);
  const found = (reply.choices ?? []).flatMap(({ message, messages }) => message ?? messages ?? []);
  await cli.output.result(reply, () => cli.output.clean(found.map(messageText).join('') || 'no files'));
};
