// Prints the reply of a raw call: JSON, events as they arrive, text, or bytes.
import { createParser } from 'eventsource-parser';
import type { Cli } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';

/** Largest reply that is read into memory, in bytes. */
const maxReplyBytes = 64 * 1024 * 1024;

export async function printReply(cli: Cli, response: Response, path: string): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  const { screen } = cli;
  if (type.startsWith('text/event-stream')) return printEvents(cli, response, path);
  if (/json|^text\//.test(type)) {
    const text = await wholeText(response);
    const value = jsonValue(text);
    if (value === undefined) return text === '' ? undefined : screen.piece(text.endsWith('\n') ? text : `${text}\n`);
    await screen.result(value, () => screen.json(value, 2));
    if (isFailure(value)) throw new CliError(`the reply has status ${response.status}, but reports a failure`);
    return;
  }
  if (screen.io.stdout.isTTY) {
    await response.body?.cancel();
    throw usageError(`the reply is binary (${type || 'no content type'})`, 'Redirect stdout to a file.');
  }
  for await (const block of blocksOf(response)) await screen.bytes(block);
}

/** Prints a line of JSON for each event. Throws if the events contain an error, or if a chat or message stream is cut off. */
async function printEvents({ screen }: Cli, response: Response, path: string): Promise<void> {
  let hasEnd = false;
  let hasError = false;
  const events: unknown[] = [];
  const parser = createParser({
    onEvent: ({ data, event }) => {
      const value = jsonValue(data);
      hasEnd ||= data === '[DONE]' || isEnd(value);
      hasError ||= event === 'error' || isFailure(value);
      if (value !== undefined) events.push(value);
    },
  });
  const decoder = new TextDecoder();
  for await (const block of blocksOf(response)) {
    parser.feed(decoder.decode(block, { stream: true }));
    for (const event of events.splice(0)) await screen.event(event);
  }
  parser.reset({ consume: true });
  for (const event of events.splice(0)) await screen.event(event);
  if (hasError) throw new CliError('the stream contains an error (see its last event)');
  if (!hasEnd && /^\/(chat\/completions|v1\/messages)$/.test(path))
    throw new CliError(
      'the stream ended before the end of the answer',
      exitCodes.network,
      'The events that arrived are printed. A call that costs money is billed once more if you repeat it.',
    );
}

/** Some operations answer with status 200 and a failure inside. */
function isFailure(value: unknown): boolean {
  const { success, error } = (value ?? {}) as { readonly success?: unknown; readonly error?: unknown };
  return success === false || (typeof error === 'object' && error !== null);
}

/** True for the event that ends an answer. */
function isEnd(event: unknown): boolean {
  const { type, choices } = (event ?? {}) as { readonly type?: unknown; readonly choices?: unknown };
  return type === 'message_stop' || (Array.isArray(choices) && choices.some((choice) => typeof choice?.finish_reason === 'string'));
}

async function wholeText(response: Response): Promise<string> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  for await (const block of blocksOf(response)) {
    size += block.length;
    if (size > maxReplyBytes) throw new CliError(`the reply has more than ${maxReplyBytes} bytes`);
    blocks.push(block);
  }
  return Buffer.concat(blocks).toString('utf8');
}

async function* blocksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}
