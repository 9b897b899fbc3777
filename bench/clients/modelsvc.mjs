/** The library as built, configured as its readers have it: key and roots. BENCH_DIST measures another build. */
const dist = process.env.BENCH_DIST ?? new URL('../../dist', import.meta.url).href;
const { collect, newClient } = await import(`${dist}/index.js`);

export function open({ root, fetch, sample }) {
  const { key, model, prompt, instructions, maxTokens } = sample;
  const c = newClient({
    apiKey: key,
    baseURL: `${root}/v1`,
    endpoints: { messages: root, responses: `${root}/v1` },
    ...(fetch ? { httpClient: fetch } : {}),
  });
  const user = { role: 'user', content: prompt };
  const chatRequest = { model, messages: [{ role: 'system', content: instructions }, user] };
  const messageRequest = { model, max_tokens: maxTokens, system: instructions, messages: [user] };
  const responsesRequest = { model, instructions, input: prompt };
  return {
    chat: {
      async call() {
        const reply = await c.chat().create(undefined, chatRequest);
        return reply.choices[0].message.content;
      },
      async stream(onText) {
        for await (const chunk of c.chat().stream(undefined, chatRequest)) onText(chunk.choices[0]?.delta.content ?? '');
      },
      async collect() {
        const reply = await collect(c.chat().stream(undefined, chatRequest));
        return reply.choices[0].message.content;
      },
    },
    messages: {
      async call() {
        const reply = await c.anthropic().create(undefined, messageRequest);
        return reply.text();
      },
      async stream(onText) {
        for await (const event of c.anthropic().stream(undefined, messageRequest))
          if (event.type === 'content_block_delta') onText(event.data.delta.text);
      },
      async collect() {
        const reply = await collect(c.anthropic().stream(undefined, messageRequest));
        return reply.content[0].text;
      },
    },
    responses: {
      async call() {
        const reply = await c.responses().create(undefined, responsesRequest);
        return reply.text();
      },
      async stream(onText) {
        for await (const event of c.responses().stream(undefined, responsesRequest))
          if (event.type === 'response.output_text.delta') onText(event.delta);
      },
      async collect() {
        const reply = await collect(c.responses().stream(undefined, responsesRequest));
        return reply.text();
      },
    },
    async upload(path) {
      const { fileFromPath } = await import(`${dist}/node.js`);
      const file = await c.files().upload(undefined, { file: fileFromPath(path), purpose: 'batch' });
      return file.bytes;
    },
  };
}
