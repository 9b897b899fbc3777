/** The smallest programs that make one chat call or read one stream, and those that have everything. */

const openai = "import OpenAI from 'openai'; const c = new OpenAI({ apiKey: 'k', dangerouslyAllowBrowser: true });";
const anthropic = "import Anthropic from '@anthropic-ai/sdk'; const c = new Anthropic({ apiKey: 'k', dangerouslyAllowBrowser: true });";
const provider =
  "import { createOpenAICompatible } from '@ai-sdk/openai-compatible'; const p = createOpenAICompatible({ name: 'p', baseURL: 'https://h/v1', apiKey: 'k' });";
const modelsvc = "import { Chat, newService } from 'modelsvc/services'; const chat = newService(Chat, { apiKey: 'k' });";
const client = "import { newClient } from 'modelsvc'; const chat = newClient({ apiKey: 'k' }).chat();";
const openapi = "import createClient from 'openapi-fetch'; const c = createClient({ baseUrl: 'https://h' });";
const request = "{ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }";
const bare = (fields) => `const r = await fetch('https://h/v1/chat/completions', { method: 'POST', body: JSON.stringify(${fields}) });`;

/** The classes for `newService`. */
export const services = [
  ...['Account', 'Agents', 'Anthropic', 'Audio', 'Batches', 'Chat', 'Detection', 'Embeddings', 'FileParser', 'Files', 'Images', 'Layout'],
  ...['Models', 'Moderations', 'Quotas', 'Rerank', 'Responses', 'Tools', 'Usage', 'Videos', 'Voice'],
];

/** A program with one service. */
export const oneService = (name) => `import { ${name}, newService } from 'modelsvc/services'; console.log(newService(${name}, { apiKey: 'k' }));`;

export const programs = [
  {
    title: 'one chat call',
    target: 55,
    sources: {
      modelsvc: `${modelsvc} chat.create(undefined, ${request}).then(console.log);`,
      openai: `${openai} c.chat.completions.create(${request}).then(console.log);`,
      anthropic: `${anthropic} c.messages.create({ max_tokens: 9, ...${request} }).then(console.log);`,
      ai: `import { generateText } from 'ai'; ${provider} generateText({ model: p('m'), prompt: 'Hello' }).then(console.log);`,
      'openapi-fetch': `${openapi} c.POST('/v1/chat/completions', { body: ${request} }).then(console.log);`,
      fetch: `${bare(request)} console.log(await r.json());`,
    },
  },
  {
    title: 'one chat call through newClient',
    sources: { modelsvc: `${client} chat.create(undefined, ${request}).then(console.log);` },
  },
  {
    title: 'one response',
    sources: {
      modelsvc:
        "import { newService, Responses } from 'modelsvc/services'; newService(Responses, { apiKey: 'k' }).create(undefined, { model: 'm', input: 'Hello' }).then(console.log);",
      openai: `${openai} c.responses.create({ model: 'm', input: 'Hello' }).then(console.log);`,
    },
  },
  {
    title: 'one stream',
    sources: {
      modelsvc: `${modelsvc} for await (const x of chat.stream(undefined, ${request})) console.log(x);`,
      openai: `${openai} for await (const x of await c.chat.completions.create({ stream: true, ...${request} })) console.log(x);`,
      anthropic: `${anthropic} for await (const x of await c.messages.create({ max_tokens: 9, stream: true, ...${request} })) console.log(x);`,
      ai: `import { streamText } from 'ai'; ${provider} for await (const x of streamText({ model: p('m'), prompt: 'Hello' }).textStream) console.log(x);`,
    },
  },
  {
    title: 'whole client, one file',
    target: 85,
    // All exports, bundled without splitting.
    whole: true,
    sources: {
      modelsvc: "export * from 'modelsvc';",
      openai: "export * from 'openai';",
      anthropic: "export * from '@anthropic-ai/sdk';",
      ai: "export * from 'ai'; export * from '@ai-sdk/openai-compatible';",
      'openapi-fetch': "export { default } from 'openapi-fetch';",
    },
  },
];
