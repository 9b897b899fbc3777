import { clientGetAsyncResult } from '../../generated/routes.ts';
import type { AsyncResult } from '../../generated/types.ts';
import { explained, poll, polledRoute, statusState, type TaskState, type WaitOptions } from '../call/operations/poll.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { fieldsOf, textOf } from '../json/json-value.ts';
import { objectsIn } from '../surfaces/answer.ts';

export function getAsyncResult(settings: Settings, ctx: CallContext, id: string, operation: string): Promise<Received<AsyncResult>> {
  return requestJson(settings, clientGetAsyncResult, ctx, () => ({ parameters: { id } }), operation);
}

const polled = polledRoute(clientGetAsyncResult, taskState);

export function waitForResult(
  settings: Settings,
  ctx: CallContext,
  id: string,
  wait: number | WaitOptions<AsyncResult>,
): Promise<Received<AsyncResult>> {
  const operation = 'waitForResult';
  const fetchState = (bounded: CallContext): Promise<AsyncResult> =>
    requestJson(settings, polled, bounded, () => ({ parameters: { id } }), operation);
  return poll({ operation, id, settings, ctx, fetchState, judge: taskState }, wait);
}

function taskState(result: AsyncResult): TaskState {
  // In the spec a finished chat has no task_status: its choices mark the end.
  const results = [result.choices, result.image_result, result.video_result];
  const hasAnswer = results.some((list) => list !== undefined);
  const state = hasAnswer && (result.task_status ?? null) === null ? 'done' : explained(statusState(result.task_status, 'success'), result);
  const isEmpty =
    state === 'done' && results.every((list) => objectsIn(list).length === 0) && objectsIn(fieldsOf(result)['content_filter']).length === 0;
  return isEmpty ? { failed: textOf(result.task_status) || 'SUCCESS', text: 'the task ended without a result' } : state;
}
