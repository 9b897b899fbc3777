/** An agent for a house: the port of `from-anthropic.before.ts`. */

import { z } from 'zod';
import { fileFromPath } from '../../src/node/index.ts';
import {
  type AnthropicContentBlock,
  type AnthropicMessage,
  type AnthropicTool,
  anthropicImage,
  type Client,
  collecting,
  defineTool,
  isAbortError,
  isApiError,
  isConnectionError,
  isTimeoutError,
  isValidationError,
  newClient,
  responseInfo,
} from '../../src/overlay/index.ts';

const model = 'glm-4.7';
const system = 'You look after a house.';

export function connect(apiKey: string, endpoints?: string): Client {
  return newClient({ apiKey, endpoints, maxRetries: 3, timeout: 120_000, headers: { 'x-house': '12' } });
}

export class Agent {
  readonly messages: AnthropicMessage[] = [];
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Think before the answer. */
  async think(question: string): Promise<{ thought: string; text: string; requestId: string | undefined }> {
    this.messages.push({ role: 'user', content: question });
    const message = await this.client.anthropic().create(undefined, {
      model,
      max_tokens: 4096,
      system,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: this.messages,
    });
    this.messages.push({ role: 'assistant', content: message.content });
    return { thought: message.thinking(), text: message.text(), requestId: responseInfo(message)?.requestId };
  }

  /** Stream an answer. */
  async *say(text: string, signal?: AbortSignal): AsyncGenerator<string> {
    this.messages.push({ role: 'user', content: text });
    const stream = collecting(
      this.client.anthropic().stream(signal, { model, max_tokens: 1024, system, messages: this.messages, temperature: 0.5, stop_sequences: ['END'] }),
    );
    for await (const event of stream) {
      if (event.type === 'message_start') console.log('message', event.data.message.id);
      if (event.type === 'content_block_delta' && event.data.delta.type === 'text_delta') yield event.data.delta.text;
      if (event.type === 'message_delta') console.log('stop', event.data.delta.stop_reason);
    }
    const message = await stream.response();
    this.messages.push({ role: 'assistant', content: message.content });
    console.log('tokens', message.usage.input_tokens, message.usage.output_tokens);
  }

  /** Let the loop call the tools. */
  async work(task: string, heat: (room: string, celsius: number) => Promise<string>): Promise<string> {
    const setHeating = defineTool({
      name: 'set_heating',
      description: 'Set the heating of a room.',
      input: z.object({ room: z.string(), celsius: z.number().min(5).max(30) }),
      run: ({ room, celsius }) => heat(room, celsius),
    });
    const last = await this.client
      .anthropic()
      .runWithTools(undefined, { model, max_tokens: 1024, messages: [{ role: 'user', content: task }] }, [setHeating], {
        maxRounds: 5,
        onRound: ({ response }) => console.log('round', response.stop_reason),
      });
    return last.text();
  }

  /** The same by hand. */
  async workByHand(task: string, open: (door: string) => string): Promise<string> {
    const tool: AnthropicTool = {
      name: 'open_door',
      description: 'Open a door.',
      input_schema: { type: 'object', properties: { door: { type: 'string' } }, required: ['door'] },
    };
    const messages: AnthropicMessage[] = [{ role: 'user', content: task }];
    for (;;) {
      const message = await this.client
        .anthropic()
        .create(undefined, { model, max_tokens: 1024, messages, tools: [tool], tool_choice: { type: 'auto' } });
      messages.push({ role: 'assistant', content: message.content });
      if (message.stop_reason !== 'tool_use') return message.text();
      const results: AnthropicContentBlock[] = [];
      for (const block of message.content) {
        if (block.type !== 'tool_use') continue;
        try {
          const { door } = block.input as { door: string };
          results.push({ type: 'tool_result', tool_use_id: block.id, content: open(door) });
        } catch (error) {
          results.push({ type: 'tool_result', tool_use_id: block.id, content: String(error), is_error: true });
        }
      }
      messages.push({ role: 'user', content: results });
    }
  }

  /** Describe a photo. */
  async look(path: string): Promise<string> {
    const message = await this.client.anthropic().create(undefined, {
      model: 'glm-4.6v',
      max_tokens: 512,
      messages: [{ role: 'user', content: [await anthropicImage(fileFromPath(path)), { type: 'text', text: 'Who is at the door?' }] }],
    });
    return message.text();
  }

  async size(): Promise<number> {
    const { input_tokens } = await this.client.anthropic().countTokens(undefined, { model, system, messages: this.messages });
    return input_tokens;
  }
}

/** What to do after a failure. */
export function remedy(error: unknown): string {
  if (isAbortError(error)) return 'stopped';
  if (isTimeoutError(error)) return 'too slow';
  if (isConnectionError(error)) return `offline: ${error.message}`;
  if (isValidationError(error)) return `mend the request: ${error.path}`;
  if (!isApiError(error)) throw error;
  switch (error.category) {
    case 'rate':
    case 'quota':
    case 'billing':
      return 'wait';
    case 'auth':
    case 'permission':
      return 'check the key';
    case 'parameter':
      return `mend the request: ${error.code}`;
    case 'server':
      return 'try later';
    default:
      return `ask support about ${error.requestId}`;
  }
}
