// `batches run`: the requests of a file as one batch, and a result for each.
import { type Batch, type BatchOutcome, type BatchResult, isValidationError } from 'modelsvc';
import { linesFrom } from '../../bulk/source.ts';
import type { Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import { reportOf } from '../../reports/report.ts';
import { save, targetOf, targetWords } from '../../transfer/download.ts';
import { slowContext, waitFor } from '../../transfer/waiting.ts';
import { requestsIn } from './requests.ts';
import { stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const place = input.arg(0);
  const target = await targetOf(cli, input);
  if (target?.kind !== 'file') throw usageError('-O must be a file', 'Pass a file name to -O.');
  const [isStart, resume] = [input.flag('no-wait'), input.text('resume')];
  if (isStart && resume !== undefined) throw usageError('--no-wait and --resume exclude each other');
  const requests = await requestsIn(await linesFrom(cli.screen, place, 'there are no requests on stdin'));
  const client = await cli.make.client();
  const others = [...new Set(requests.map(({ body }) => body.model))].filter((model) => client.models().isOutsideBatches(model));
  if (others.length > 0 && resume === undefined)
    await cli.screen.confirm(`The vendor's list of models for batches lacks ${others.join(', ')}. Send the requests?`);
  const fields = { metadata: Object.fromEntries(input.pairs('metadata')), ...(input.flag('keep-input') && { auto_delete_input_file: false }) };
  const words = (id: string): readonly string[] => ['batches', 'run', place, ...targetWords(target), '--resume', id];
  try {
    // A retry after a lost reply would create a second batch, which is billed too.
    const id = resume ?? (await client.with({ maxRetries: 0 }).batch().start(slowContext(cli), requests, fields)).id;
    if (isStart) return cli.screen.result({ id, resume: words(id) }, () => cli.screen.clean(id));
    cli.screen.note(`${resume === undefined ? '' : 'continuing '}batch ${id}`);
    const outcome = await waitFor<Batch, BatchOutcome>(cli, input, { resume: words(id), stateText }, (wait) =>
      client.batch().run(slowContext(cli), requests, { ...wait, resume: id }),
    );
    const { batch, results, unmatched, unreadable } = outcome;
    const strangers = unmatched.length + unreadable;
    if (strangers > 0) cli.screen.warn(`${strangers} lines of the results of ${batch.id} belong to no request`);
    const path = await save(cli, linesOf(results), 'results.jsonl', target);
    const failed = results.filter(({ error }) => error !== undefined).length;
    const summary = { path, total: results.length, failed, batch };
    await cli.screen.result(summary, () => cli.screen.clean(`${path}: ${results.length - failed} of ${results.length} requests succeeded`));
    return failed > 0 ? exitCodes.partial : undefined;
  } catch (error) {
    if (!isValidationError(error)) throw error;
    throw usageError(`${place}: ${error.path} ${error.problem}`, 'Fix the request and run the same command again.');
  }
};

/** A result a line, with a response or an error. */
async function* linesOf(results: readonly BatchResult[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for (const { custom_id, response, error } of results) {
    const { message, details } = error ? await reportOf(error) : { message: '', details: {} };
    yield encoder.encode(`${JSON.stringify(error ? { custom_id, error: { message, ...details } } : { custom_id, response })}\n`);
  }
}
