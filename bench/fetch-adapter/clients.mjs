/** The clients of other vendors, each with one buffered and one streamed call. `root` is the fake's; `fetch` is undefined without the adapter. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';

const model = 'glm-5.2';
const content = 'hi';
const messages = [{ role: 'user', content }];

/** A schema that the service answers with status 500 unless it is rewritten. */
const schema = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['city'] };
const description = 'The weather of a city';
const chatTools = [{ type: 'function', function: { name: 'weather', description, parameters: schema } }];
const responsesTools = [{ type: 'function', name: 'weather', description, parameters: schema, strict: false }];
const messageTools = [{ name: 'weather', description, input_schema: schema }];

/** Wait of a client for response headers, where the client has such an option. */
const timeout = 5000;

/** `fetch` as an option; none without the adapter. */
const using = (fetch) => (fetch ? { fetch } : {});

function openai({ roots, apiKey, fetch }) {
  const client = new OpenAI({ apiKey, baseURL: roots.platform, timeout, ...using(fetch) });
  return {
    create: async (tools) => {
      const reply = await client.chat.completions.create({ model, messages, ...(tools && { tools: chatTools }) });
      return reply.choices?.[0]?.message.content;
    },
    stream: async () => {
      let text = '';
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices?.[0]?.delta.content ?? '';
      return text;
    },
  };
}

function openaiResponses({ roots, apiKey, fetch }) {
  const client = new OpenAI({ apiKey, baseURL: roots.responses, timeout, ...using(fetch) });
  return {
    create: async (tools) => (await client.responses.create({ model, input: content, ...(tools && { tools: responsesTools }) })).output_text,
    stream: async () => {
      let text = '';
      for await (const event of await client.responses.create({ model, input: content, stream: true }))
        text += event.type === 'response.output_text.delta' ? event.delta : '';
      return text;
    },
  };
}

function anthropic({ roots, apiKey, fetch }) {
  const client = new Anthropic({ apiKey, baseURL: roots.messages, timeout, ...using(fetch) });
  const request = { model, max_tokens: 64, messages };
  return {
    create: async (tools) => {
      const reply = await client.messages.create({ ...request, ...(tools && { tools: messageTools }) });
      return reply.content?.[0]?.text;
    },
    stream: async () => {
      let text = '';
      for await (const event of await client.messages.create({ ...request, stream: true })) text += event.delta?.text ?? '';
      return text;
    },
  };
}

function aiSdk(languageModel) {
  const tools = { weather: tool({ description, inputSchema: jsonSchema(schema) }) };
  return {
    create: async (wantsTools) => (await generateText({ model: languageModel, prompt: content, ...(wantsTools && { tools }) })).text,
    stream: async () => {
      let failure;
      const result = streamText({ model: languageModel, prompt: content, onError: ({ error }) => (failure ??= error) });
      let text = '';
      for await (const piece of result.textStream) text += piece;
      if (failure) throw failure;
      return { text, finish: await result.finishReason };
    },
  };
}

function langChain(chat, tools) {
  return {
    create: async (wantsTools) => (await (wantsTools ? chat.bindTools(tools) : chat).invoke(content)).content,
    stream: async () => {
      let text = '';
      for await (const piece of await chat.stream(content))
        text += typeof piece.content === 'string' ? piece.content : piece.content.map((part) => part.text ?? '').join('');
      return text;
    },
  };
}

export const clients = {
  openai,
  'openai, Responses': openaiResponses,
  anthropic,
  'AI SDK, openai-compatible': ({ roots, apiKey, fetch }) =>
    aiSdk(createOpenAICompatible({ name: 'service', apiKey, baseURL: roots.platform, ...using(fetch) })(model)),
  'AI SDK, Responses': ({ roots, apiKey, fetch }) => aiSdk(createOpenAI({ apiKey, baseURL: roots.responses, ...using(fetch) }).responses(model)),
  'AI SDK, anthropic': ({ roots, apiKey, fetch }) => aiSdk(createAnthropic({ apiKey, baseURL: `${roots.messages}/v1`, ...using(fetch) })(model)),
  'LangChain, OpenAI': ({ roots, apiKey, fetch }) =>
    langChain(new ChatOpenAI({ model, apiKey, timeout, configuration: { baseURL: roots.platform, ...using(fetch) } }), chatTools),
  'LangChain, Anthropic': ({ roots, apiKey, fetch }) =>
    langChain(
      new ChatAnthropic({ model, apiKey, maxTokens: 64, anthropicApiUrl: roots.messages, clientOptions: { timeout, ...using(fetch) } }),
      messageTools,
    ),
};
