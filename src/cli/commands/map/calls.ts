// The calls of `map`: one for each row, as many at once as the service takes.
import { type Client, isModelsvcError, mapCalls } from 'modelsvc';
import type { EarlyEnd } from '../../bulk/early-end.ts';
import type { RowResult } from '../../bulk/results.ts';
import { answered, failureOf, isFinal, type RowForm } from './answers.ts';
import type { MapRow } from './rows.ts';

export interface CallOptions {
  readonly form: RowForm;
  readonly end: EarlyEnd;
  /** True for the results in the order of the rows. */
  readonly ordered: boolean;
}

/** The result of each row. A failure that every row would have begins no more of them, and is thrown after the results of the calls that were sent. */
export async function* resultsOf(client: Client, rows: AsyncIterator<MapRow>, { form, end, ordered }: CallOptions): AsyncGenerator<RowResult> {
  const settled = mapCalls(end.rows(rows), (row, ctx) => end.call(ctx, (own) => answered(client, own, row, form)), { ordered });
  for await (const one of settled) {
    if (one.status === 'fulfilled') yield one.value;
    else if (isFinal(one.reason)) end.stop(one.reason);
    // A call that the end has aborted has no result: the next run asks its row.
    else if (!end.isAsked || !isModelsvcError(one.reason, 'abort')) yield await failureOf(one.item, one.reason, form);
  }
  end.check();
}
