import { type Batch, batchCounts } from 'modelsvc';
import { exitCodes } from '../../errors/exit.ts';
import { cellText } from '../../terminal/reply.ts';

/** `in_progress, 40 of 100, 2 failed`. */
export function stateText(batch: Batch): string {
  const { total, completed, failed } = batchCounts(batch);
  return [
    cellText(batch.status),
    ...(completed !== undefined && total !== undefined ? [`${completed} of ${total}`] : []),
    ...(failed ? [`${failed} failed`] : []),
  ].join(', ');
}

/** Exit code of a batch that has ended: 8 if a part of it is missing. */
export function endCode(batch: Batch): number | undefined {
  return batch.status !== 'completed' || batchCounts(batch).failed ? exitCodes.partial : undefined;
}
