/** The original of `from-anthropic.ts`: an agent for a house, on `@anthropic-ai/sdk` 1. */
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { z } from 'zod';

const model = 'claude-sonnet-4-5';
const system = 'You look after a house.';

export function connect(apiKey: string, baseURL?: string): Anthropic {
  return new Anthropic({ apiKey, baseURL, maxRetries: 3, timeout: 120_000, defaultHeaders: { 'x-house': '12' } });
}

export class Agent {
  readonly messages: Anthropic.MessageParam[] = [];
  private readonly client: Anthropic;

  constructor(client: Anthropic) {
    this.client = client;
  }

  /** Think before the answer. */
  async think(question: string): Promise<{ thought: string; text: string; requestId: string | null | undefined }> {
    this.messages.push({ role: 'user', content: question });
    const message = await this.client.messages.create({
      model,
      max_tokens: 4096,
      system,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: this.messages,
    });
    this.messages.push({ role: 'assistant', content: message.content });
    let thought = '';
    let text = '';
    for (const block of message.content) {
      if (block.type === 'thinking') thought += block.thinking;
      else if (block.type === 'text') text += block.text;
    }
    return { thought, text, requestId: message._request_id };
  }

  /** Stream an answer. */
  async *say(text: string, signal?: AbortSignal): AsyncGenerator<string> {
    this.messages.push({ role: 'user', content: text });
    const stream = this.client.messages.stream(
      { model, max_tokens: 1024, system, messages: this.messages, temperature: 0.5, stop_sequences: ['END'] },
      { signal },
    );
    for await (const event of stream) {
      if (event.type === 'message_start') console.log('message', event.message.id);
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
      if (event.type === 'message_delta') console.log('stop', event.delta.stop_reason);
    }
    const message = await stream.finalMessage();
    this.messages.push({ role: 'assistant', content: message.content });
    console.log('tokens', message.usage.input_tokens, message.usage.output_tokens);
  }

  /** Let the runner call the tools. */
  async work(task: string, heat: (room: string, celsius: number) => Promise<string>): Promise<string> {
    const setHeating = betaZodTool({
      name: 'set_heating',
      description: 'Set the heating of a room.',
      inputSchema: z.object({ room: z.string(), celsius: z.number().min(5).max(30) }),
      run: ({ room, celsius }) => heat(room, celsius),
    });
    const runner = this.client.beta.messages.toolRunner({
      model,
      max_tokens: 1024,
      messages: [{ role: 'user', content: task }],
      tools: [setHeating],
      max_iterations: 6,
    });
    for await (const message of runner) console.log('round', message.stop_reason);
    const last = await runner.done();
    return last.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  }

  /** The same by hand. */
  async workByHand(task: string, open: (door: string) => string): Promise<string> {
    const tool: Anthropic.Tool = {
      name: 'open_door',
      description: 'Open a door.',
      input_schema: { type: 'object', properties: { door: { type: 'string' } }, required: ['door'] },
    };
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
    for (;;) {
      const message = await this.client.messages.create({ model, max_tokens: 1024, messages, tools: [tool], tool_choice: { type: 'auto' } });
      messages.push({ role: 'assistant', content: message.content });
      if (message.stop_reason !== 'tool_use') return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      const results: Anthropic.ToolResultBlockParam[] = [];
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
    const data = (await readFile(path)).toString('base64');
    const message = await this.client.messages.create({
      model,
      max_tokens: 512,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: 'Who is at the door?' },
          ],
        },
      ],
    });
    const [block] = message.content;
    return block?.type === 'text' ? block.text : '';
  }

  async size(): Promise<number> {
    const { input_tokens } = await this.client.messages.countTokens({ model, system, messages: this.messages });
    return input_tokens;
  }
}

/** What to do after a failure. */
export function remedy(error: unknown): string {
  if (error instanceof Anthropic.APIUserAbortError) return 'stopped';
  if (error instanceof Anthropic.APIConnectionTimeoutError) return 'too slow';
  if (error instanceof Anthropic.APIConnectionError) return `offline: ${error.message}`;
  if (error instanceof Anthropic.RateLimitError) return 'wait';
  if (error instanceof Anthropic.AuthenticationError || error instanceof Anthropic.PermissionDeniedError) return 'check the key';
  if (error instanceof Anthropic.BadRequestError) return `mend the request: ${error.type}`;
  if (error instanceof Anthropic.InternalServerError) return 'try later';
  if (error instanceof Anthropic.APIError) return `ask support about ${error.requestID}`;
  throw error;
}
