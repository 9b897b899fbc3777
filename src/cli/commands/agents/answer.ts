// The variables of an agent, and its answer: texts, and the links and ids of files.
import type { AgentAsyncResult, AgentChunk, AgentChunkChoice, AgentMessage } from 'modelsvc/types';
import type { Cli } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import type { Input } from '../../input/input.ts';
import { cellText } from '../../terminal/reply.ts';
import { waitFor } from '../../transfer/waiting.ts';

/** The texts and links of messages, without a separator. */
export function messageText({ content }: Partial<AgentMessage>): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : content ? [content] : [];
  return parts.map((part) => cellText(part.text ?? linkOf(part))).join('');
}

function linkOf(part: Readonly<Record<string, unknown>>): string {
  const link = part['file_url'] ?? part['image_url'] ?? part['audio_url'] ?? part['video_url'] ?? part['file_id'];
  return typeof link === 'string' ? `${link}\n` : '';
}

/** The texts and links of a reply; empty if it has none. */
export function textOf({ choices }: AgentChunk | AgentAsyncResult): string {
  return (choices ?? []).flatMap(messagesOf).map(messageText).join('');
}

/** The answer for people, or the state of a run without one. Undefined for a run that has succeeded. */
export function answerText(reply: AgentChunk | AgentAsyncResult): string | undefined {
  const { status } = reply;
  return textOf(reply) || (/^succe/i.test(cellText(status)) ? undefined : status);
}

function messagesOf(choice: AgentChunkChoice): AgentMessage[] {
  return [...(choice.messages ?? []), ...(choice.delta ? [choice.delta] : [])];
}

/** Waits for a run in the background. */
export async function awaitRun(cli: Cli, input: Input, agent: string, run: string): Promise<AgentAsyncResult> {
  const client = await cli.make.client();
  const variables = variablesOf(input);
  const resume = ['jobs', 'wait', agent, run, ...input.list('var').flatMap((pair) => ['--var', pair])];
  return waitFor(cli, input, { resume, stateText: ({ status }: AgentAsyncResult) => status }, (options) =>
    client.agents().wait(cli.ctx, { agent_id: agent, async_id: run, ...(variables && { custom_variables: variables }) }, options),
  );
}

/** The values of `--var`: JSON where the text looks like it, otherwise text. Undefined without any. */
export function variablesOf(input: Input): Record<string, unknown> | undefined {
  const pairs = input.pairs('var').map(([name, text]) => [name, converted(name, text)] as const);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function converted(name: string, text: string): unknown {
  if (/^(true|false|null|-?\d{1,15}(\.\d{1,15})?)$/.test(text)) return JSON.parse(text);
  if (!/^[[{]/.test(text)) return text;
  const value = jsonValue(text);
  if (value === undefined) throw usageError(`--var ${name} looks like JSON but cannot be parsed`);
  return value;
}
