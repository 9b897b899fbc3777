/**
 * How the stream of each operation is read, and how it ends: one constant for each streaming operation of the document, named like its route.
 * `npm run generate` refuses a stream without one.
 */
import { agentsInvoke as agents } from '../../generated/routes.ts';
import type { AgentChunk, ChatChunk, ResponsesStreamEvent, SpeechChunk, TranscriptionEvent } from '../../generated/types.ts';
import { ChatProtocol, ChunkProtocol } from '../surfaces/chat/protocol.ts';
import { type AnthropicStreamEvent, MessagesProtocol } from '../surfaces/messages/protocol.ts';
import type { StreamProtocol } from '../surfaces/protocol.ts';
import { ResponsesProtocol } from '../surfaces/responses/protocol.ts';

/** A new protocol, for one stream. */
type NewProtocol<Item> = () => StreamProtocol<Item>;

export const chatCreate: NewProtocol<ChatChunk> = () => new ChatProtocol();
export const anthropicCreate: NewProtocol<AnthropicStreamEvent> = () => new MessagesProtocol();
export const responsesCreate: NewProtocol<ResponsesStreamEvent> = () => new ResponsesProtocol();
export const agentsInvoke: NewProtocol<AgentChunk> = () => new ChunkProtocol(undefined, agents);
export const audioSpeech: NewProtocol<SpeechChunk> = () => new ChunkProtocol();
export const audioTranscribe: NewProtocol<TranscriptionEvent> = () => new ChunkProtocol({ field: 'type', value: 'transcript.text.done' });
