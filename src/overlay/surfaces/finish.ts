import type { ErrorCategory } from '../../generated/codes.ts';
import type { AnthropicMessageResponse, ChatResponse } from '../../generated/types.ts';
import { FinishError } from '../errors/errors.ts';
import { fieldsOf, listOf } from '../errors/json-value.ts';

interface Ending {
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly text: string;
}

/** The endings that are no whole answer, of both surfaces. */
const endings: Readonly<Record<string, Ending>> = {
  length: { category: 'parameter', retryable: false, text: 'the answer reached the token cap and is cut; raise max_tokens' },
  max_tokens: { category: 'parameter', retryable: false, text: 'the answer reached the token cap and is cut; raise max_tokens' },
  sensitive: { category: 'content', retryable: false, text: 'the content check stopped the answer; text already shown may need to be withdrawn' },
  refusal: { category: 'content', retryable: false, text: 'the model refused to answer' },
  network_error: { category: 'server', retryable: true, text: 'inference failed inside the service; the same request may succeed' },
  model_context_window_exceeded: {
    category: 'parameter',
    retryable: false,
    text: "prompt and answer exceed the model's window; shorten the conversation",
  },
};

/**
 * Why an answer is not whole, as an error to throw or to show; undefined for a natural end, a stop word or a tool call.
 * The client never throws it by itself: a cut answer may be all that is wanted.
 */
export function finishError(reply: ChatResponse | AnthropicMessageResponse): FinishError | undefined {
  const fields = fieldsOf(reply);
  const reasons = 'choices' in fields ? listOf(fields['choices']).map((choice) => fieldsOf(choice)['finish_reason']) : [fields['stop_reason']];
  for (const reason of reasons) {
    // The service's word may be one that every object has.
    const ending = typeof reason === 'string' && Object.hasOwn(endings, reason) ? endings[reason] : undefined;
    if (ending) return new FinishError(String(reason), ending.category, ending.retryable, ending.text);
  }
  return undefined;
}
