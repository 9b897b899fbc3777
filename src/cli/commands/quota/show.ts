import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isApiError, isModelsvcError } from 'modelsvc';
import type { QuotaLimits } from 'modelsvc/types';
import { planClient, teamIn } from '../../accounts/team.ts';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import { type Input, optionValue } from '../../input/input.ts';
import { reportOf } from '../../reports/report.ts';
import type { Screen } from '../../terminal/screen.ts';
import { quotaJson, quotaView, type View } from './view.ts';

export const run: Handler = async (cli, input) => {
  const everyMs = intervalOf(input.text('watch'));
  const limit = input.number('check');
  if (limit !== undefined && (limit < 0 || limit > 100)) throw usageError(`--check must be 0 to 100, not ${limit}`);
  if (input.flag('all-accounts')) {
    const { showAll } = await import('./all-accounts.ts');
    return showAll(cli, input, (view, account) => exitOf(cli.screen, view, limit, `${account}: `));
  }
  if (everyMs === undefined && cli.screen.isText && input.text('format') === 'statusline') return showLine(cli, input, limit);
  const client = await planClient(cli.make, input);
  return everyMs === undefined ? showOnce(cli, client, input, limit) : watch(cli, client, input, limit, everyMs);
};

async function showOnce(cli: Cli, client: Client, input: Input, limit: number | undefined): Promise<number> {
  const quota = await client.quota().getLimit(cli.ctx);
  const now = new Date();
  const view = quotaView(quota, now);
  const text = cli.screen.isText ? await textOf(cli.screen, input, view, now) : '';
  await cli.screen.result(quotaJson(quota, now), () => text);
  return exitOf(cli.screen, view, limit);
}

/** The line for a prompt: the present value, the last one, or none. */
async function showLine(cli: Cli, input: Input, limit: number | undefined): Promise<number> {
  const { inTime, latestQuota, soon } = await import('./latest.ts');
  const { statusline } = await import('./statusline.ts');
  const deadline = soon();
  // A keychain may be silent, too.
  const client = await inTime(planClient(cli.make, input), deadline);
  const credential = client && (await cli.make.credential());
  const known = credential && (await latestQuota(cli, client, { ...credential, team: teamIn(input) ?? credential.team }, deadline));
  if (!known) return limit === undefined ? exitCodes.ok : exitCodes.unjudged;
  const now = new Date();
  const view = quotaView(known.quota, now, known.at);
  await cli.screen.result({}, () => statusline(view, now, cli.screen.paint, known.at));
  return exitOf(cli.screen, view, limit);
}

/** Polls until Ctrl-C, or until a window reaches `--check`. A failed poll that may succeed later is a warning. */
async function watch(cli: Cli, client: Client, input: Input, limit: number | undefined, everyMs: number): Promise<number> {
  const { screen } = cli;
  const isScreen = screen.isText && cli.screen.io.stdout.isTTY === true && input.text('format') !== 'statusline';
  let last = '';
  // The alternate screen keeps the scrollback clean.
  if (isScreen) await screen.control('\x1b[?1049h');
  try {
    for (;;) {
      const quota = await polled(cli, client);
      const now = new Date();
      if (quota) {
        const view = quotaView(quota, now);
        if (!screen.isText) await screen.event(quotaJson(quota, now));
        else {
          last = await textOf(cli.screen, input, view, now);
          if (isScreen) await screen.control('\x1b[H\x1b[2J');
          await screen.result(quota, () => last);
        }
        const code = exitOf(cli.screen, view, limit);
        if (code !== exitCodes.ok) return code;
      }
      await sleep(everyMs, undefined, { signal: cli.signal });
    }
  } finally {
    if (isScreen) {
      await screen.control('\x1b[?1049l');
      if (last !== '') await screen.result({}, () => last);
    }
  }
}

async function polled(cli: Cli, client: Client): Promise<QuotaLimits | undefined> {
  try {
    return await client.quota().getLimit(cli.ctx);
  } catch (error) {
    if (!isModelsvcError(error, 'connection', 'timeout') && !(isApiError(error) && error.retryable)) throw error;
    cli.screen.warn((await reportOf(error)).message);
    return undefined;
  }
}

async function textOf(screen: Screen, input: Input, view: View, now: Date): Promise<string> {
  const { paint, width } = screen;
  if (input.text('format') === 'statusline') return (await import('./statusline.ts')).statusline(view, now, paint);
  return (await import('./bars.ts')).barsText(view, now, paint, width);
}

function exitOf(screen: Screen, { windows }: View, limit: number | undefined, place = ''): number {
  if (limit === undefined) return exitCodes.ok;
  const known = windows.filter(({ usedPercent, isExhausted }) => usedPercent !== undefined || isExhausted);
  if (known.length === 0) {
    screen.warn(`${place}the reply has no window with figures, so that --check cannot judge`);
    return exitCodes.unjudged;
  }
  const over = known.filter(({ usedPercent = 100 }) => usedPercent >= limit);
  if (over.length === 0) return exitCodes.ok;
  screen.note(`${place}At ${limit} % or beyond: ${over.map(({ name }) => name).join(', ')}.`);
  return exitCodes.threshold;
}

function intervalOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = text === '' ? 30_000 : Number(optionValue({ name: 'watch', kind: 'duration', summary: '' }, text));
  if (ms < 1000 || ms > 86_400_000) throw usageError(`--watch must be 1s to 1d, not ${text}`);
  return ms;
}
