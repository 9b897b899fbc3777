import type { Client } from '../../src/overlay/index.ts';
import { type FakeService, faults, type Reply } from '../../src/testing/index.ts';
import { openFake } from './fake.ts';

/** One request as the server read it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it at will
  readonly body: any;
}

/** A scripted answer of a model: a JSON body, a stream as an array of frames, or a function that makes one from the request. */
export type Scripted = object | readonly string[] | ((request: SeenRequest) => object | readonly string[]);

export interface ScriptedModel {
  readonly fake: FakeService;
  readonly requests: readonly SeenRequest[];
  readonly client: Client;
}

/**
 * A fake service that sends one answer per request and repeats the last one, and its client without retries. A stream stays open after its
 * frames if the last one is `hang`. Both are closed with the test.
 */
export async function scriptedModel(...answers: Scripted[]): Promise<ScriptedModel> {
  const { fake, client } = await openFake({ maxRetries: 0 }, { validate: false });
  const requests: SeenRequest[] = [];
  fake.fallback('*', (request) => {
    const script = answers[Math.min(requests.length, answers.length - 1)] as Scripted;
    requests.push(request);
    const answer = typeof script === 'function' ? (script as (request: SeenRequest) => object)(request) : script;
    if (!Array.isArray(answer)) return { body: answer };
    const reply: Reply = { frames: answer.filter((frame) => frame !== 'hang') };
    return answer.at(-1) === 'hang' ? { ...faults.doneThenOpen(), reply } : reply;
  });
  return { fake, requests, client };
}

export const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 2 } };

/** A chat response. */
export function chatAnswer(message: object, finish_reason: string | null = 'stop'): object {
  return { id: 'r', created: 1, model: 'glm-4.6', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], usage };
}

/** A chat response that asks for tools: `[id, name, arguments]` each. */
export function chatCalls(...calls: readonly (readonly [id: string, name: string, args: string])[]): object {
  const tool_calls = calls.map(([id, name, args]) => ({ id, type: 'function', function: { name, arguments: args } }));
  return chatAnswer({ content: null, reasoning_content: 'thinking about it', tool_calls }, 'tool_calls');
}

/** A reply of the message surface. */
export function messageAnswer(content: readonly object[], stop_reason: string = 'end_turn'): object {
  return {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'glm-4.6',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  };
}

/** A chat response as the frames of a stream. */
export function chatFrames(chunks: readonly object[]): string[] {
  return [...chunks.map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'glm-4.6', ...chunk })}\n\n`), 'data: [DONE]\n\n'];
}

/** Events of the message surface as frames. */
export function eventFrames(events: readonly { readonly type: string }[]): string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
