// Results of chat, image and video jobs: printed, or saved with -O.
import { type AsyncResult, contentText } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { type Destination, saveLinks, saveText } from '../../transfer/download.ts';

/**
 * Prints a job's result, or saves its files or its text. JSON and YAML print the reply in both cases; it is `wire` if `result` was made from
 * another reply.
 */
export async function deliver(cli: Cli, result: AsyncResult, target: Destination | undefined, wire: unknown = result): Promise<number | undefined> {
  const links = linksOf(result);
  const text = contentText(result.choices?.[0]?.message.content);
  const hasResult = links.length > 0 || text !== '';
  if (!target || !hasResult) {
    const plain = links.length > 0 ? links.join('\n') : text || (result.task_status ?? 'no result');
    await cli.output.result(wire, () => cli.output.clean(plain));
    if (target) throw new CliError('the job has no result to save', exitCodes.error, 'Look at it with --json.');
    return /fail/i.test(result.task_status ?? '') ? exitCodes.error : undefined;
  }
  const name = result.id || 'result';
  await saveResult(cli, wire, target, () =>
    links.length > 0 ? saveLinks(cli, links, name, target) : saveText(cli, text, `${name}.txt`, target).then((path) => [path]),
  );
  return undefined;
}

/** Saves files and prints their paths. JSON and YAML print the reply of the service in place of the paths. */
export async function saveResult(cli: Cli, value: unknown, target: Destination, work: () => Promise<readonly string[]>): Promise<void> {
  if (target.kind === 'stdout') return void (await work());
  // Printed before `work`, because a failed download must not lose a reply that was billed.
  if (!cli.output.isText) await cli.output.result(value, () => '');
  const paths = await work();
  if (cli.output.isText) await cli.output.result(paths, () => cli.output.clean(paths.join('\n')));
  else for (const path of paths) cli.output.note(`saved ${path}`);
}

function linksOf(result: AsyncResult): string[] {
  return [...(result.image_result ?? []), ...(result.video_result ?? [])]
    .map(({ url }) => url)
    .filter((url) => typeof url === 'string' && url !== '');
}
