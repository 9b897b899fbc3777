/** Bare: it has no parser for streams, so the floor parser is used. */
import { openAsBlob } from 'node:fs';
import createClient from 'openapi-fetch';
import { deltaText, floorParser, replyText, wireRequests } from '../wire/floor.mjs';

export function open({ root, fetch, sample }) {
  const client = createClient({ baseUrl: root, headers: { authorization: `Bearer ${sample.key}` }, ...(fetch ? { fetch } : {}) });
  const requests = wireRequests(sample);
  const surface = (name) => {
    const { path, body } = requests[name];
    return {
      async call() {
        const { data } = await client.POST(path, { body });
        return replyText[name](data);
      },
      async stream(onText) {
        const { data } = await client.POST(path, { body: { ...body, stream: true }, parseAs: 'stream' });
        const feed = floorParser((event) => onText(deltaText[name](event)));
        for await (const block of data) feed(block);
      },
    };
  };
  return {
    chat: surface('chat'),
    messages: surface('messages'),
    responses: surface('responses'),
    async upload(path) {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', await openAsBlob(path), 'upload.jsonl');
      const { data } = await client.POST('/v1/files', { body: form });
      return data.bytes;
    },
  };
}
