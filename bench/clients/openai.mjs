import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

export function open({ root, fetch, sample }) {
  const { key, model, prompt, instructions } = sample;
  const client = new OpenAI({ apiKey: key, baseURL: `${root}/v1`, ...(fetch ? { fetch } : {}) });
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: prompt },
  ];
  return {
    chat: {
      async call() {
        const reply = await client.chat.completions.create({ model, messages });
        return reply.choices[0].message.content;
      },
      async stream(onText) {
        for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
          onText(chunk.choices[0]?.delta.content ?? '');
      },
      async collect() {
        const reply = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
        return reply.choices[0].message.content;
      },
    },
    async upload(path) {
      const file = await client.files.create({ file: createReadStream(path), purpose: 'batch' });
      return file.bytes;
    },
  };
}
