import type { Handler } from '../../cli.ts';
import { answerText, awaitRun } from './answer.ts';

export const run: Handler = async (cli, input) => {
  const result = await awaitRun(cli, input, input.arg(0), input.arg(1));
  await cli.output.result(result, () => cli.output.clean(answerText(result, result.status)));
};
