import { clientGetAsyncResult } from '../../generated/routes.ts';
import type { AsyncResult } from '../../generated/types.ts';
import { explained, poll, polledRoute, statusState, type TaskState, type WaitOptions } from '../call/operations/poll.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { textOf } from '../json/json-value.ts';
import { objectsIn } from '../surfaces/answer.ts';

export function getAsyncResult(settings: Settings, ctx: CallContext, id: string, operation: string): Promise<Received<AsyncResult>> {
  return requestJson(settings, clientGetAsyncResult, ctx, () => ({ parameters: { id } }), operation);
}

export function waitForResult(
  settings: Settings,
  ctx: CallContext,
  id: string,
  wait: number | WaitOptions<AsyncResult>,
): Promise<Received<AsyncResult>> {
  const operation = 'waitForResult';
  const judge = (result: AsyncResult): TaskState => taskState(result, settings.endpoints.chat.isVendor);
  const polled = polledRoute(clientGetAsyncResult, judge);
  const fetchState = (bounded: CallContext): Promise<AsyncResult> =>
    requestJson(settings, polled, bounded, () => ({ parameters: { id } }), operation);
  return poll({ operation, id, settings, ctx, fetchState, judge }, wait);
}

/** True if an entry has a link, or its bytes as text. */
export function hasLink(list: unknown): boolean {
  return objectsIn(list).some(({ url, image_url, video_url, b64_json }) =>
    [url, image_url, video_url, b64_json].some((one) => textOf(one).trim() !== ''),
  );
}

function taskState(result: AsyncResult, isVendor: boolean): TaskState {
  // In the spec a finished chat has no task_status: its choices mark the end.
  const media = [result.image_result, result.video_result];
  const hasAnswer = [result.choices, ...media].some((list) => list !== undefined);
  const state = hasAnswer && (result.task_status ?? null) === null ? 'done' : explained(statusState(result.task_status, 'success'), result);
  if (state !== 'done' || objectsIn(result.choices).length > 0) return state;
  const made = media.filter((list) => objectsIn(list).length > 0);
  const failed = textOf(result.task_status) || 'SUCCESS';
  if (made.length === 0 && objectsIn(result.content_filter).length === 0) return { failed, text: 'the task ended without a result' };
  return isVendor && made.length > 0 && !made.some(hasLink) ? { failed, text: 'the result of the task has no link' } : state;
}
