import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { ConversationStore } from '../../talk/conversations.ts';
import type { TalkSurface } from '../../talk/exchange.ts';
import type { SurfaceName } from '../../talk/question.ts';
import { chatRequest, chatSurface } from '../../talk/surfaces/chat.ts';
import { surfaces } from '../../talk/surfaces/index.ts';
import { prepared, talk } from '../../talk/talk.ts';
import { templated } from '../../talk/template.ts';
import { idIn } from '../../terminal/reply.ts';
import type { Screen } from '../../terminal/screen.ts';

export const chat: Handler = templated(async (cli, input) => {
  const surface = await surfaceFor(cli.screen, input);
  if (surface !== chatSurface) {
    if (input.flag('async')) throw usageError(`--async is not part of the surface ${surface.name}`, 'Pass --surface chat.');
    return talk(cli, input, surface);
  }
  if (input.flag('async')) return submit(cli, input);
  return isTalk(cli, input) ? (await import('./repl.ts')).run(cli, input) : talk(cli, input, chatSurface);
});

/** The surface of --surface, of the continued conversation, or of the setting. */
async function surfaceFor(screen: Screen, input: Input): Promise<TalkSurface> {
  const name = input.text('conversation');
  const isChosen = input.text('surface') !== undefined && input.isTyped('surface');
  if (!isChosen && (input.flag('continue') || name !== undefined)) {
    // `talk` reports a conversation that cannot be read.
    const before = await new ConversationStore(screen.io.env).load(name).catch(() => undefined);
    if (before) return surfaces[before.surface];
  }
  return surfaces[(input.text('surface') as SurfaceName | undefined) ?? 'chat'];
}

/** True without a question on a terminal: the repl asks for it. */
function isTalk(cli: Cli, input: Input): boolean {
  const hasQuestion =
    input.lead !== undefined || input.args.length > 0 || input.list('file').length > 0 || input.list('tool').length > 0 || input.flag('web-search');
  return !hasQuestion && cli.screen.isInteractive && !cli.isDryRun;
}

async function submit(cli: Cli, input: Input): Promise<void> {
  for (const name of ['continue', 'extract', 'usage'] as const)
    if (input.flag(name)) throw usageError(`--async and --${name} exclude each other`, 'Print the answer with `modelsvc jobs result ID`.');
  for (const name of ['mcp', 'fallback'] as const) if (input.list(name).length > 0) throw usageError(`--async and --${name} exclude each other`);
  const { client, options, text, attachments } = await prepared(cli, input, chatSurface);
  const task = await client.chat().createAsync(cli.ctx, chatRequest({ ...options, messages: [chatSurface.userMessage(text, attachments)] }));
  await cli.screen.result(task, () => cli.screen.clean(idIn(task.id)));
}
