import type { ErrorCategory } from '../../generated/codes.ts';
import { responsesCreate } from '../../generated/routes.ts';
import type { AnthropicMessageResponse, ChatResponse, ResponsesResponse } from '../../generated/types.ts';
import { FinishError } from '../errors/answer-errors.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../json/json-value.ts';
import { cleanToken } from '../secrets/clean.ts';
import type { Contradiction } from './answer.ts';
import { hasLeakedCall } from './leaked-call.ts';

interface FinishMeaning {
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly text: string;
  readonly advice?: string;
}

/** Finish and stop reasons of incomplete answers, of all surfaces. */
const endings: Readonly<Record<string, FinishMeaning>> = {
  length: cutAt('max_tokens'),
  max_tokens: cutAt('max_tokens'),
  max_output_tokens: cutAt('max_output_tokens'),
  failed: { category: 'server', retryable: true, text: 'the response failed', advice: 'the same request may succeed' },
  incomplete: { category: 'server', retryable: false, text: 'the answer is incomplete, for a reason that is not known' },
  content_filter: { category: 'content', retryable: false, text: 'the content check stopped the answer' },
  sensitive: {
    category: 'content',
    retryable: false,
    text: 'the content check stopped the answer',
    advice: 'text already shown may need to be withdrawn',
  },
  refusal: { category: 'content', retryable: false, text: 'the model refused to answer' },
  network_error: { category: 'server', retryable: true, text: 'inference failed inside the service', advice: 'the same request may succeed' },
  model_context_window_exceeded: {
    category: 'parameter',
    retryable: false,
    text: 'prompt and answer exceed the context window of the model',
    advice: 'shorten the conversation',
  },
};

function cutAt(limit: string): FinishMeaning {
  return { category: 'parameter', retryable: false, text: 'the answer was cut off at the token limit', advice: `raise ${limit}` };
}

function endingOf(reason: unknown): FinishMeaning | undefined {
  // The reason comes from the service and may be `constructor` or `toString`.
  return typeof reason === 'string' && Object.hasOwn(endings, reason) ? endings[reason] : undefined;
}

/** True for the finish or stop reason of an answer that may end within a tool call. */
export function isCut(reason: unknown): boolean {
  return endingOf(reason) !== undefined;
}

/** The error for a reason that contradicts its answer. */
export function contradiction(reason: Contradiction): FinishError {
  const text = reason === 'no_answer' ? 'the answer has no text and no tool call' : 'the model asks for a tool, and the answer has no call';
  return new FinishError(reason, 'server', true, text, 'the same request may succeed');
}

/** The error for an answer with a tool call as text, in the notation of the model. */
export function leakedCall(reply: object, surface: string): FinishError | undefined {
  if (!hasLeakedCall(reply)) return undefined;
  const model = cleanToken(textOf(fieldsOf(reply)['model']), []) || 'the model';
  return new FinishError('leaked_tool_call', 'server', true, `${model} wrote a tool call as text on ${surface}`, 'the same request may succeed');
}

/** The error for an answer that ended early, by its reason alone. */
export function endingError(reply: ChatResponse | AnthropicMessageResponse | ResponsesResponse): FinishError | undefined {
  const fields = fieldsOf(reply);
  const status = noAnswer(fields);
  for (const reason of status === undefined ? reasonsOf(fields) : [status]) {
    const ending = endingOf(reason) ?? (status && unanswered);
    if (ending) return new FinishError(String(reason), ending.category, ending.retryable, ending.text, ending.advice);
  }
  return undefined;
}

const unanswered: FinishMeaning = { category: 'server', retryable: false, text: 'the response has this status, so it is not an answer' };

/** The status of a response that is not an answer: it failed, or has not ended. */
function noAnswer({ choices, status }: Fields): string | undefined {
  return choices === undefined && typeof status === 'string' && status !== '' && !responsesCreate.answerStatus?.includes(status) ? status : undefined;
}

function reasonsOf(fields: Fields): readonly unknown[] {
  if ('choices' in fields) return listOf(fields['choices']).map((choice) => fieldsOf(choice)['finish_reason']);
  if (fields['status'] !== 'incomplete') return [fields['stop_reason']];
  const { reason } = fieldsOf(fields['incomplete_details']);
  return [endingOf(reason) ? reason : 'incomplete'];
}
