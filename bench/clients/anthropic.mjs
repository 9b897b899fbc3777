import { createReadStream } from 'node:fs';
import Anthropic, { toFile } from '@anthropic-ai/sdk';

export function open({ root, fetch, sample }) {
  const { key, model, prompt, instructions, maxTokens } = sample;
  const client = new Anthropic({ apiKey: key, baseURL: root, ...(fetch ? { fetch } : {}) });
  const request = { model, max_tokens: maxTokens, system: instructions, messages: [{ role: 'user', content: prompt }] };
  return {
    messages: {
      async call() {
        const reply = await client.messages.create(request);
        return reply.content[0].text;
      },
      async stream(onText) {
        for await (const event of await client.messages.create({ ...request, stream: true }))
          if (event.type === 'content_block_delta') onText(event.delta.text);
      },
      async collect() {
        const reply = await client.messages.stream(request).finalMessage();
        return reply.content[0].text;
      },
    },
    async upload(path) {
      const file = await client.beta.files.upload({ file: await toFile(createReadStream(path)) });
      return file.size_bytes;
    },
  };
}
