// Results of chat, image and video jobs: printed, or saved with -O.
import { type AsyncResult, answerOf, type ChatResponse } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { endCode } from '../../talk/ending.ts';
import { callsOf } from '../../talk/exchange.ts';
import type { Screen } from '../../terminal/screen.ts';
import { type Destination, saveLinks, saveText } from '../../transfer/download.ts';
import { openAll } from '../../transfer/open.ts';

/** The place of a result. `opens` shows it with the program of the desktop. */
export interface Delivery {
  readonly target: Destination | undefined;
  readonly opens?: boolean;
}

/**
 * Prints a job's result, or saves its files or its text. JSON and YAML print the reply in both cases; it is `wire` if `result` was made from
 * another reply. A result that was withheld, was cut off or is missing is not a success.
 */
export async function deliver(
  cli: Cli,
  result: AsyncResult,
  { target, opens = false }: Delivery,
  wire: object = result,
): Promise<number | undefined> {
  const links = await linksOf(result);
  const { task_status: status } = result;
  // The result of another kind of job has none of the fields of an answer.
  const answer = answerOf(result as ChatResponse);
  const text = [answer.text, ...callsOf(answer).map((call) => cli.screen.json(call))].filter((line) => line !== '').join('\n');
  if (target && (links.length > 0 || text !== '')) {
    const name = result.id || 'result';
    const paths = await saveResult(cli.screen, wire, target, () =>
      links.length > 0 ? saveLinks(cli, links, name, target) : saveText(cli, text, `${name}.txt`, target).then((path) => [path]),
    );
    if (opens) await openAll(cli.screen, paths);
    return endCode(cli.screen, answer.problem);
  }
  const isOver = status === undefined || /^succe/i.test(status);
  const isMissing = isOver && links.length === 0 && answer.history.length === 0;
  const plain = links.length > 0 ? links.join('\n') : text || (isMissing ? cli.screen.json(wire, 2) : (status ?? ''));
  await cli.screen.result(wire, () => cli.screen.clean(plain));
  if (opens) await openAll(cli.screen, links);
  if (status !== undefined && /fail/i.test(status)) return exitCodes.error;
  const code = endCode(cli.screen, answer.problem);
  if (code !== undefined || !(isMissing || target)) return code;
  if (isOver && isWithheld(wire))
    throw new CliError('the content filter of the service withheld the result', exitCodes.content, 'Change the prompt. The reply is on stdout.');
  throw new CliError(isOver ? 'the reply has no result' : `the job has no result yet: ${status}`, exitCodes.error, 'The reply is on stdout.');
}

function isWithheld({ content_filter: found }: { readonly content_filter?: unknown }): boolean {
  return Array.isArray(found) && found.length > 0;
}

/** Saves files and prints their paths. JSON and YAML print the reply of the service instead of the paths. */
export async function saveResult(
  screen: Screen,
  value: unknown,
  target: Destination,
  work: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (target.kind === 'stdout') {
    await work();
    return [];
  }
  // Printed before `work`, because a failed download must not lose a reply that was billed.
  if (!screen.isText) await screen.result(value, () => '');
  const paths = await work();
  if (screen.isText) await screen.result(paths, () => screen.clean(paths.join('\n')));
  else for (const path of paths) screen.note(`saved ${path}`);
  return paths;
}

/** The links of images and videos; a picture inside the reply is a data URI. */
async function linksOf({ image_result: images, video_result: videos }: AsyncResult): Promise<string[]> {
  const { mediaTypeOf } = await import('modelsvc/node');
  const files: unknown[] = [images, videos].flatMap((list) => (Array.isArray(list) ? list : []));
  return files.flatMap((file) => {
    const { url, image_url: other, b64_json: data } = (file ?? {}) as Readonly<Record<string, unknown>>;
    const link = [url, other].find((text) => typeof text === 'string' && text !== '');
    if (typeof link === 'string') return [link];
    if (typeof data !== 'string' || data === '') return [];
    return [`data:${mediaTypeOf(Buffer.from(data.slice(0, 64), 'base64')) ?? 'application/octet-stream'};base64,${data}`];
  });
}
