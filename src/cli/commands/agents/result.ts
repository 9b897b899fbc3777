import type { Handler } from '../../cli.ts';
import { answerText } from './answer.ts';
import { variablesOf } from './variables.ts';

export const run: Handler = async (cli, input) => {
  const variables = variablesOf(input);
  const client = await cli.client();
  const request = { agent_id: input.arg(0), async_id: input.arg(1), ...(variables && { custom_variables: variables }) };
  const result = await client.agents().asyncResult(cli.ctx, request);
  await cli.output.result(result, () => cli.output.clean(answerText(result, result.status)));
};
