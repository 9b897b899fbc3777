import { clientGetAsyncResult } from '../../generated/routes.ts';
import type { AsyncResult } from '../../generated/types.ts';
import { poll, statusState, type TaskState, type WaitOptions } from '../call/poll.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

export function getAsyncResult(settings: Settings, ctx: CallContext, id: string, operation: string): Promise<AsyncResult> {
  return requestJson(settings, clientGetAsyncResult, ctx, () => ({ parameters: { id } }), operation);
}

export function waitForResult(settings: Settings, ctx: CallContext, id: string, options: WaitOptions<AsyncResult>): Promise<AsyncResult> {
  const operation = 'waitForResult';
  return poll({ operation, id, settings, ctx, fetchState: (bounded) => getAsyncResult(settings, bounded, id, operation), judge: taskState }, options);
}

function taskState(result: AsyncResult): TaskState {
  // In the spec a finished chat has no task_status: its choices mark the end.
  const hasAnswer = result.choices !== undefined || result.image_result !== undefined || result.video_result !== undefined;
  return hasAnswer && (result.task_status ?? null) === null ? 'done' : statusState(result.task_status, 'success');
}
