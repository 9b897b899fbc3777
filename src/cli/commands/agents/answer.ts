// The answer of an agent: texts, and the links and ids of files.
import type { AgentAsyncResult, AgentChunk, AgentChunkChoice, AgentMessage } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import type { Input } from '../../input/input.ts';
import { waitFor } from '../../transfer/waiting.ts';
import { variablesOf } from './variables.ts';

/** The texts and links of messages, without a separator. */
export function messageText({ content }: Partial<AgentMessage>): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : content ? [content] : [];
  return parts.map((part) => part.text ?? linkOf(part)).join('');
}

function linkOf(part: Readonly<Record<string, unknown>>): string {
  const link = part['file_url'] ?? part['image_url'] ?? part['audio_url'] ?? part['video_url'] ?? part['file_id'];
  return typeof link === 'string' ? `${link}\n` : '';
}

/** The answer for people; `otherwise` while there is none. */
export function answerText({ choices }: AgentChunk | AgentAsyncResult, otherwise: string | undefined): string {
  const text = (choices ?? []).flatMap(messagesOf).map(messageText).join('');
  return text || (otherwise ?? '');
}

function messagesOf(choice: AgentChunkChoice): AgentMessage[] {
  return [...(choice.messages ?? []), ...(choice.delta ? [choice.delta] : [])];
}

/** Waits for a run in the background. */
export async function awaitRun(cli: Cli, input: Input, agent: string, run: string): Promise<AgentAsyncResult> {
  const client = await cli.client();
  const variables = variablesOf(input);
  const resume = ['agents', 'wait', agent, run, ...input.list('var').flatMap((pair) => ['--var', pair])];
  return waitFor(cli, input, { resume, stateText: ({ status }: AgentAsyncResult) => status }, (options) =>
    client.agents().wait(cli.ctx, { agent_id: agent, async_id: run, ...(variables && { custom_variables: variables }) }, options),
  );
}
