/** A floor: `node:http` with a keep-alive agent, and the bare `eventsource-parser` for streams. */
import { Agent, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { deltaText, replyText, wireRequests } from '../wire/floor.mjs';

export function open({ root, sample }) {
  const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  const requests = wireRequests(sample);
  const { hostname, port, pathname } = new URL(root);
  const post = (path, fields) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(fields);
      const headers = { authorization: `Bearer ${sample.key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const outgoing = request({ agent, hostname, port, path: pathname + path, method: 'POST', headers }, resolve);
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  const surface = (name) => {
    const { path, body } = requests[name];
    return {
      async call() {
        const incoming = await post(path, body);
        return new Promise((resolve, reject) => {
          const parts = [];
          incoming.on('data', (block) => parts.push(block));
          incoming.on('end', () => resolve(replyText[name](JSON.parse(Buffer.concat(parts).toString()))));
          incoming.on('error', reject);
        });
      },
      async stream(onText) {
        const incoming = await post(path, { ...body, stream: true });
        return new Promise((resolve, reject) => {
          const decoder = new TextDecoder();
          const parser = createParser({
            onEvent: ({ data }) => {
              if (data !== '[DONE]') onText(deltaText[name](JSON.parse(data)));
            },
          });
          incoming.on('data', (block) => parser.feed(decoder.decode(block, { stream: true })));
          incoming.on('end', resolve);
          incoming.on('error', reject);
        });
      },
    };
  };
  return { chat: surface('chat'), messages: surface('messages'), responses: surface('responses') };
}
