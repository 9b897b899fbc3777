import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

globalThis.AI_SDK_LOG_WARNINGS = false;

export function open({ root, fetch, sample }) {
  const { key, model, prompt, instructions } = sample;
  const provider = createOpenAICompatible({ name: 'bench', apiKey: key, baseURL: `${root}/v1`, ...(fetch ? { fetch } : {}) });
  const request = { model: provider(model), instructions, prompt };
  return {
    chat: {
      async call() {
        const { text } = await generateText(request);
        return text;
      },
      async stream(onText) {
        for await (const text of streamText(request).textStream) onText(text);
      },
      async collect() {
        return await streamText(request).text;
      },
    },
  };
}
