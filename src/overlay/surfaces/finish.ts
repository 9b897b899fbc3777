import type { ErrorCategory } from '../../generated/codes.ts';
import { responsesCreate } from '../../generated/routes.ts';
import type { AnthropicMessageResponse, ChatResponse, ResponsesResponse } from '../../generated/types.ts';
import { FinishError } from '../errors/answer-errors.ts';
import { cleanToken } from '../errors/clean.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../errors/json-value.ts';
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

/**
 * An error for an incomplete answer, to throw or to show. Undefined for a natural end, a stop sequence or a tool call.
 * The client never throws it, because a truncated answer may be sufficient.
 *
 * The reason `leaked_tool_call` is for an answer with a tool call as text, in the notation of the model: the service did not read it, so no tool
 * runs. It is not repaired.
 */
export function finishError(reply: ChatResponse | AnthropicMessageResponse | ResponsesResponse): FinishError | undefined {
  const fields = fieldsOf(reply);
  const ended = endingError(reply);
  if (ended || !hasLeakedCall(reply)) return ended;
  const surface = fields['choices'] ? 'chat' : fields['output'] ? 'responses' : 'messages';
  const model = cleanToken(textOf(fields['model']), []) || 'the model';
  const text = `${model} wrote a tool call as text on ${surface}`;
  return new FinishError('leaked_tool_call', 'server', true, text, 'the same request may succeed');
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
