import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { chatRequest, chatSurface } from '../../talk/surfaces/chat.ts';
import { prepared, talk } from '../../talk/talk.ts';
import { templated } from '../../talk/template.ts';
import { idIn } from '../../terminal/reply.ts';

export const ask: Handler = templated(async (cli, input) => {
  if (input.flag('async')) return submit(cli, input);
  return isTalk(cli, input) ? (await import('./repl.ts')).run(cli, input) : talk(cli, input, chatSurface);
});

/** True without a question on a terminal: the repl asks for it. */
function isTalk(cli: Cli, input: Input): boolean {
  const hasQuestion =
    input.lead !== undefined || input.args.length > 0 || input.list('file').length > 0 || input.list('tool').length > 0 || input.flag('web-search');
  return !hasQuestion && cli.isInteractive && !cli.isDryRun;
}

async function submit(cli: Cli, input: Input): Promise<void> {
  for (const name of ['continue', 'extract', 'usage'] as const)
    if (input.flag(name)) throw usageError(`--async and --${name} exclude each other`, 'Print the answer with `modelsvc jobs result ID`.');
  if (input.list('mcp').length > 0) throw usageError('--async and --mcp exclude each other');
  const { client, options, text, attachments } = await prepared(cli, input, chatSurface);
  const task = await client.chat().createAsync(cli.ctx, chatRequest({ ...options, messages: [chatSurface.userMessage(text, attachments)] }));
  await cli.output.result(task, () => cli.output.clean(idIn(task.id)));
}
