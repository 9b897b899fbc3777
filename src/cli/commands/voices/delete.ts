import type { Handler } from '../../cli.ts';

export const run: Handler = async (cli, input) => {
  const voice = input.arg(0);
  const client = await cli.client();
  await cli.confirm(`Delete the voice ${voice}?`);
  const reply = await client.voice().delete(cli.ctx, { voice });
  await cli.output.result(reply, () => `deleted ${cli.output.clean(voice)}`);
};
