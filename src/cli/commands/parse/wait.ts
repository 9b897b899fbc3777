import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { awaitText, deliverText } from './document.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  await deliverText(cli, await awaitText(cli, input, input.arg(0), target), target);
};
