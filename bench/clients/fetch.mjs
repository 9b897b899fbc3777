/** A floor: the built-in fetch by hand, with the floor parser. */
import { openAsBlob } from 'node:fs';
import { deltaText, floorParser, replyText, wireRequests } from '../wire/floor.mjs';

export function open({ root, fetch = globalThis.fetch, sample }) {
  const headers = { authorization: `Bearer ${sample.key}`, 'content-type': 'application/json' };
  const requests = wireRequests(sample);
  const surface = (name) => {
    const { path, body } = requests[name];
    const post = (fields) => fetch(root + path, { method: 'POST', headers, body: JSON.stringify(fields) });
    return {
      async call() {
        const response = await post(body);
        return replyText[name](await response.json());
      },
      async stream(onText) {
        const response = await post({ ...body, stream: true });
        const feed = floorParser((event) => onText(deltaText[name](event)));
        for await (const block of response.body) feed(block);
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
      const response = await fetch(`${root}/v1/files`, { method: 'POST', headers: { authorization: headers.authorization }, body: form });
      return (await response.json()).bytes;
    },
  };
}
