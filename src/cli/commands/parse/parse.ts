import { extname } from 'node:path';
import type { ParserFormat, ParserResult } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { cellText, idIn } from '../../terminal/reply.ts';
import type { Screen } from '../../terminal/screen.ts';
import { type Destination, saveLinks, saveText, targetOf, targetWords } from '../../transfer/download.ts';
import { type Source, sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext, waitFor } from '../../transfer/waiting.ts';
import { saveResult } from '../jobs/deliver.ts';

export const create: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const { source, kind } = await documentOf(cli.screen, input);
  const client = await cli.make.client();
  const job = await uploading(cli.screen, source.filename, (onProgress) =>
    client.fileParser().create(slowContext(cli), { ...source, tool_type: 'lite', ...input.fields, file_type: kind, onProgress }),
  );
  if (!target && !input.flag('wait')) return cli.screen.result(job, () => cli.screen.clean(idIn(job.task_id)));
  const id = idIn(job.task_id);
  cli.screen.note(`job ${id}`);
  await deliverText(cli, await awaitText(cli, input, id, target), target);
};

export const result: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const client = await cli.make.client();
  await deliverText(cli, await client.fileParser().result(cli.ctx, input.arg(0), formatOf(input)), target);
};

export const sync: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const { source, kind } = await documentOf(cli.screen, input);
  const client = await cli.make.client();
  const result = await uploading(cli.screen, source.filename, (onProgress) =>
    client.fileParser().sync(slowContext(cli), { ...source, tool_type: 'prime-sync', ...input.fields, file_type: kind, onProgress }),
  );
  await deliverText(cli, result, target);
};

export const wait: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  await deliverText(cli, await awaitText(cli, input, input.arg(0), target), target);
};

/** The service's name of a kind of file: `--type`, or the extension. */
function kindOf(input: Input, path: string): string {
  const kind = (input.text('type') ?? extname(path).slice(1)).toUpperCase();
  if (kind === '') throw usageError(`the kind of ${path === '-' ? 'stdin' : path} is unknown`, 'Pass it, for instance --type PDF.');
  return kind;
}

/** The file of a command, and its kind. */
async function documentOf(screen: Screen, input: Input): Promise<{ readonly source: Source; readonly kind: string }> {
  const path = input.arg(0);
  const kind = kindOf(input, path);
  return { source: await sourceOf(screen, path, `stdin.${kind.toLowerCase()}`), kind };
}

/** The service's name of `--format`. */
function formatOf(input: Input): ParserFormat {
  return input.text('format') === 'link' ? 'download_link' : 'text';
}

async function awaitText(cli: Cli, input: Input, id: string, target: Destination | undefined): Promise<ParserResult> {
  const client = await cli.make.client();
  const format = formatOf(input);
  const words = ['jobs', 'wait', id, ...(format === 'text' ? [] : ['--format', 'link']), ...targetWords(target)];
  return waitFor(cli, input, { resume: words, stateText: ({ status }: ParserResult) => status }, (options) =>
    client.fileParser().wait(cli.ctx, id, format, options),
  );
}

/** Prints the text, the link or the state of a job, or saves it. */
async function deliverText(cli: Cli, result: ParserResult, target: Destination | undefined): Promise<void> {
  const { content, parsing_result_url: link, status, task_id: id } = result;
  // The state alone is not a result of a job that has succeeded.
  const state = /^succe/i.test(cellText(status)) ? undefined : status;
  if (!target) return cli.screen.result(result, () => cli.screen.clean(content ?? link ?? state));
  if (typeof content !== 'string' && !link)
    throw new CliError(`the job has no result yet: ${status ?? 'no status'}`, exitCodes.error, 'Wait for it with `modelsvc jobs wait ID`.');
  const name = id || 'document';
  await saveResult(cli.screen, result, target, async () =>
    typeof content === 'string' ? [await saveText(cli, content, `${name}.md`, target)] : saveLinks(cli, [link ?? ''], name, target),
  );
}
