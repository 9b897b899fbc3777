/** A floor: `undici.request`, with the floor parser. */
import { createReadStream, statSync } from 'node:fs';
import { request } from 'undici';
import { deltaText, floorParser, replyText, wireRequests } from '../wire/floor.mjs';

export function open({ root, sample }) {
  const headers = { authorization: `Bearer ${sample.key}`, 'content-type': 'application/json' };
  const requests = wireRequests(sample);
  const surface = (name) => {
    const { path, body } = requests[name];
    const url = root + path;
    const post = (fields) => request(url, { method: 'POST', headers, body: JSON.stringify(fields) });
    return {
      async call() {
        const response = await post(body);
        return replyText[name](await response.body.json());
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
      const boundary = '----bench-boundary';
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="upload.jsonl"\r\ncontent-type: application/octet-stream\r\n\r\n`;
      const tail = `\r\n--${boundary}--\r\n`;
      async function* parts() {
        yield Buffer.from(head);
        yield* createReadStream(path, { highWaterMark: 256 * 1024 });
        yield Buffer.from(tail);
      }
      const length = head.length + statSync(path).size + tail.length;
      const { body } = await request(`${root}/v1/files`, {
        method: 'POST',
        headers: {
          authorization: headers.authorization,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': String(length),
        },
        body: parts(),
      });
      return (await body.json()).bytes;
    },
  };
}
