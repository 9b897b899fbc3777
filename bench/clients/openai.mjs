import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

export function open({ root, fetch, sample }) {
  const { key, model, prompt, instructions } = sample;
  const client = new OpenAI({ apiKey: key, baseURL: `${root}/v1`, ...(fetch ? { fetch } : {}) });
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: prompt },
  ];
  const responsesRequest = { model, instructions, input: prompt };
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
    responses: {
      async call() {
        const reply = await client.responses.create(responsesRequest);
        return reply.output_text;
      },
      async stream(onText) {
        for await (const event of await client.responses.create({ ...responsesRequest, stream: true }))
          if (event.type === 'response.output_text.delta') onText(event.delta);
      },
      async collect() {
        const reply = await client.responses.stream(responsesRequest).finalResponse();
        return reply.output_text;
      },
    },
    async upload(path) {
      const file = await client.files.create({ file: createReadStream(path), purpose: 'batch' });
      return file.bytes;
    },
  };
}
