/** An answer in the Responses protocol, which the fake service does not speak. */
import type { ServerResponse } from 'node:http';

/** Streams a text as the only output. */
export function responsesReply(outgoing: ServerResponse, model: string, text: string): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of eventsOf(model, text)) outgoing.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  outgoing.end();
}

function eventsOf(model: string, text: string): readonly { readonly type: string }[] {
  const usage = {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 4,
  };
  const part = { type: 'output_text', text, annotations: [] };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const response = { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model, output: [item], usage };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, delta: text },
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ].map((event, at) => ({ ...event, sequence_number: at }));
}
