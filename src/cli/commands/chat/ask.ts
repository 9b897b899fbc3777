import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { chatRequest, chatSurface } from '../../talk/chat-surface.ts';
import { prepared, talk } from '../../talk/talk.ts';

export const run: Handler = (cli, input) => (input.flag('async') ? submit(cli, input) : talk(cli, input, chatSurface));

async function submit(cli: Cli, input: Input): Promise<void> {
  for (const name of ['continue', 'extract', 'usage'] as const)
    if (input.flag(name)) throw usageError(`--async and --${name} exclude each other`, 'Print the answer with `modelsvc chat result ID`.');
  if (input.list('mcp').length > 0) throw usageError('--async and --mcp exclude each other');
  const { client, manner, text, attachments } = await prepared(cli, input, chatSurface);
  const task = await client.chat().createAsync(cli.ctx, chatRequest({ ...manner, messages: [chatSurface.userMessage(text, attachments)] }));
  await cli.output.result(task, () => cli.output.clean(task.id ?? ''));
}
