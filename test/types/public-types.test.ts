import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { describe, expectTypeOf, it } from 'vitest';
import type { operations } from '../../src/generated/operations.ts';
import {
  type AbortError,
  type AnthropicMessageRequest,
  type AnthropicReply,
  type AnthropicStreamEvent,
  type AsyncResult,
  anthropicTextMessage,
  type Bindings,
  type CallContext,
  type ChatChunk,
  type ChatRequest,
  type ChatResponse,
  type Client,
  type CollectingStream,
  type Config,
  type Context,
  collecting,
  type ErrorCategory,
  type EventStream,
  type Hook,
  isApiError,
  isModelsvcError,
  type Message,
  newFunctionTool,
  newJSONSchemaFormat,
  newRetrievalTool,
  newWebSearchTool,
  type RequestMeta,
  type ResponseFormat,
  type ResponseInfo,
  type ResponsesReply,
  type responseInfo,
  type StreamError,
  type Tool,
  type textDeltas,
  withModel,
  withService,
} from '../../src/overlay/index.ts';
import type { Anthropic, Chat } from '../../src/services/index.ts';
import type {
  AnthropicTokenCount,
  AsyncTask,
  ChatJobRequest,
  Extensible,
  FetchLike,
  FileQuery,
  ParserFormat,
  Received,
  ResponseMeta,
  VoiceQuery,
} from '../../src/types/index.ts';

// The compiler checks this file (npm run types); functions in it are never called.
declare const client: Client;
declare const bindings: Bindings<'chat'>;
declare const messageBindings: Bindings<'messages'>;

const user = { role: 'user', content: 'hi' };

describe('Config', () => {
  it('needs the key and no more', () => {
    expectTypeOf({ apiKey: 'key' }).toExtend<Config>();
    expectTypeOf<HttpAgent>().toExtend<NonNullable<Config['agent']>>();
    expectTypeOf<HttpsAgent>().toExtend<NonNullable<Config['agent']>>();
    expectTypeOf<{ dispatch(): boolean; destroy(): void }>().not.toExtend<NonNullable<Config['agent']>>();
    expectTypeOf<string | Buffer | Uint8Array | (string | Buffer)[] | readonly string[]>().toExtend<NonNullable<Config['ca']>>();
    expectTypeOf<() => Promise<string>>().toExtend<Config['apiKey']>();
    expectTypeOf<() => number>().not.toExtend<Config['apiKey']>();
    expectTypeOf<{ readonly timeout?: undefined; readonly apiKey: () => string }>().toExtend<Parameters<Client['with']>[0]>();
    expectTypeOf<{ readonly timeoutMs: number }>().not.toExtend<Parameters<Client['with']>[0]>();
    expectTypeOf<FetchLike>().toExtend<NonNullable<Config['httpClient']>>();
    expectTypeOf<typeof globalThis.fetch>().toExtend<FetchLike>();
    // @ts-expect-error no key
    ({}) satisfies Config;
    ({ apiKey: 'key', region: 'china' }) satisfies Config;
    // @ts-expect-error not a region
    ({ apiKey: 'key', region: 'moon' }) satisfies Config;
    // @ts-expect-error durations are numbers of milliseconds
    ({ apiKey: 'key', timeout: '30s' }) satisfies Config;
    // @ts-expect-error the key, in the spelling of the contract
    ({ APIKey: 'key' }) satisfies Config;
    ({ apiKey: 'key', endpoints: { messages: 'http://localhost' } }) satisfies Config;
    // @ts-expect-error the chat root is baseURL
    ({ apiKey: 'key', endpoints: { chat: 'http://localhost' } }) satisfies Config;
  });
});

describe('chat requests', () => {
  it('need model and messages', () => {
    ({ model: 'glm-4.6', messages: [user] }) satisfies ChatRequest;
    // @ts-expect-error no model
    ({ messages: [user] }) satisfies ChatRequest;
    // @ts-expect-error no messages
    ({ model: 'glm-4.6' }) satisfies ChatRequest;
    // @ts-expect-error a message has a role
    ({ model: 'glm-4.6', messages: [{ content: 'hi' }] }) satisfies ChatRequest;
  });

  it('take any model, and keep the known ones for completion', () => {
    ({ model: 'glm-99-preview', messages: [user] }) satisfies ChatRequest;
    expectTypeOf<string>().toExtend<ChatRequest['model']>();
    expectTypeOf<Extract<ChatRequest['model'], 'glm-4.6'>>().toEqualTypeOf<'glm-4.6'>();
    // @ts-expect-error a model is a name
    ({ model: 5, messages: [user] }) satisfies ChatRequest;
  });

  it('take the fields of the facade, and not the wire’s stream', () => {
    const message: Message = { role: 'user', content: 'What is this?', images: ['https://example.com/a.png'] };
    ({ model: 'glm-4.6v', messages: [message], stream_tool_call: true }) satisfies ChatRequest;
    // @ts-expect-error images are a list
    ({ role: 'user', content: '', images: 'https://example.com/a.png' }) satisfies Message;
    // @ts-expect-error a switch
    ({ model: 'glm-4.6', messages: [user], stream_tool_call: 'yes' }) satisfies ChatRequest;
    // @ts-expect-error stream() and create() set it
    ({ model: 'glm-4.6', messages: [user], stream: true }) satisfies ChatRequest;
  });

  it('refuse wrong types at any depth', () => {
    ({ model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com' } }] }] }) satisfies ChatRequest;
    // @ts-expect-error a URL is text
    ({ model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 5 } }] }] }) satisfies ChatRequest;
    // @ts-expect-error a temperature is a number
    ({ model: 'm', messages: [user], temperature: '1' }) satisfies ChatRequest;
    ({ model: 'm', messages: [user], tools: [{ type: 'function', function: { name: 'f' } }] }) satisfies ChatRequest;
    // @ts-expect-error tool types are a closed list
    ({ model: 'm', messages: [user], tools: [{ type: 'laser' }] }) satisfies ChatRequest;
    // @ts-expect-error a function has a name
    ({ model: 'm', messages: [user], tools: [{ type: 'function', function: {} }] }) satisfies ChatRequest;
  });

  it('come from the constructors', () => {
    expectTypeOf(newFunctionTool('f', 'F.', { type: 'object' })).toEqualTypeOf<Tool>();
    expectTypeOf(newRetrievalTool('kb')).toEqualTypeOf<Tool>();
    expectTypeOf(newWebSearchTool('a', 'b')).toEqualTypeOf<Tool>();
    expectTypeOf(newJSONSchemaFormat('n', {}, true)).toEqualTypeOf<ResponseFormat>();
    // @ts-expect-error strict is said out loud
    () => newJSONSchemaFormat('n', {});
  });
});

describe('message requests', () => {
  it('need model, max_tokens and messages', () => {
    ({ model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] }) satisfies AnthropicMessageRequest;
    // @ts-expect-error no max_tokens
    ({ model: 'glm-4.7', messages: [anthropicTextMessage('user', 'hi')] }) satisfies AnthropicMessageRequest;
    // @ts-expect-error messages have no tool role
    () => anthropicTextMessage('tool', 'hi');
    ({ model: 'm', max_tokens: 1, messages: [], thinking: { type: 'enabled', budget_tokens: 1024 } }) satisfies AnthropicMessageRequest;
    // @ts-expect-error a budget is a number
    ({ model: 'm', max_tokens: 1, messages: [], thinking: { type: 'enabled', budget_tokens: 'much' } }) satisfies AnthropicMessageRequest;
    ({ model: 'm', max_tokens: 1, messages: [], effort: 'off' }) satisfies AnthropicMessageRequest;
    // @ts-expect-error a word of the wire
    ({ model: 'm', max_tokens: 1, messages: [], effort: 'none' }) satisfies AnthropicMessageRequest;
    expectTypeOf<AnthropicMessageRequest['effort']>().toEqualTypeOf<'off' | 'low' | 'medium' | 'high' | 'max' | null | undefined>();
    expectTypeOf<ChatRequest['effort']>().toEqualTypeOf<AnthropicMessageRequest['effort']>();
    expectTypeOf<ChatJobRequest['effort']>().toEqualTypeOf<AnthropicMessageRequest['effort']>();
    expectTypeOf<Extract<AnthropicMessageRequest['model'], 'glm-4.7'>>().toEqualTypeOf<'glm-4.7'>();
    expectTypeOf<string>().toExtend<AnthropicMessageRequest['model']>();
  });
});

describe('ctx', () => {
  it('is a Context, a signal, or left out', () => {
    const request: ChatRequest = { model: 'm', messages: [user] };
    expectTypeOf<undefined>().toExtend<CallContext>();
    expectTypeOf<AbortSignal>().toExtend<CallContext>();
    expectTypeOf<Context>().toExtend<CallContext>();
    expectTypeOf<{ signal: AbortSignal; timeout: number; maxRetries: number; headers: { a: string } }>().toExtend<CallContext>();
    () => client.chat().create({ signal: [new AbortController().signal] }, request);
    // @ts-expect-error text is not a context
    () => client.chat().create('ctx', request);
    // @ts-expect-error the request comes second
    () => client.chat().create(request, undefined);
    () => expectTypeOf(client.chat().create(request)).toEqualTypeOf(client.chat().create(undefined, request));
    // Helper types and spies read the last form, which has the context.
    expectTypeOf<Parameters<Chat['create']>>().toEqualTypeOf<[ctx: CallContext, request: Extensible<ChatRequest>]>();
    // @ts-expect-error a timeout is a number of milliseconds
    () => client.chat().create({ timeout: '1s' }, request);
    // @ts-expect-error no such field
    () => client.chat().create({ retries: 3 }, request);
  });

  it('comes from any form by the with functions', () => {
    for (const make of [withService, withModel] as const) expectTypeOf(make).toEqualTypeOf<(ctx: CallContext, name: string) => Context>();
    // @ts-expect-error a context never changes
    (context: Context) => (context.timeout = 5);
  });
});

describe('replies', () => {
  it('have the types of the spec', () => {
    expectTypeOf<Chat['create']>().returns.resolves.toEqualTypeOf<Received<ChatResponse>>();
    expectTypeOf<Chat['createSimple']>().returns.resolves.toEqualTypeOf<Received<ChatResponse>>();
    expectTypeOf<Chat['createAsync']>().returns.resolves.toEqualTypeOf<Received<AsyncTask>>();
    expectTypeOf<Chat['stream']>().returns.toEqualTypeOf<EventStream<ChatChunk>>();
    expectTypeOf<Chat['createStream']>().returns.resolves.toEqualTypeOf<void>();
    expectTypeOf<Anthropic['create']>().returns.resolves.toEqualTypeOf<Received<AnthropicReply>>();
    expectTypeOf<Anthropic['stream']>().returns.toEqualTypeOf<EventStream<AnthropicStreamEvent>>();
    expectTypeOf<Anthropic['countTokens']>().returns.resolves.toEqualTypeOf<Received<AnthropicTokenCount>>();
    expectTypeOf<Client['getAsyncResult']>().returns.resolves.toEqualTypeOf<Received<AsyncResult>>();
    expectTypeOf<Client['waitForResult']>().returns.resolves.toEqualTypeOf<Received<AsyncResult>>();
    expectTypeOf<Parameters<Chat['create']>>().toEqualTypeOf<[ctx: CallContext, request: Extensible<ChatRequest>]>();
    expectTypeOf<Parameters<Chat['createAsync']>>().toEqualTypeOf<[ctx: CallContext, request: Extensible<ChatJobRequest>]>();
    expectTypeOf<AnthropicReply['text']>().toEqualTypeOf<() => string>();
    expectTypeOf<AnthropicReply['thinking']>().toEqualTypeOf<() => string>();
    // @ts-expect-error waits are numbers or options
    () => client.waitForResult(undefined, 'id', '1s');
  });

  it('have facts of their exchange, and so have no others', () => {
    type Info<Result extends object> = ReturnType<typeof responseInfo<Result>>;
    /** Methods that send a request, and whose result has no facts. */
    type Without<Service> = {
      [Name in keyof Service]: Service[Name] extends (ctx: CallContext, ...rest: never[]) => Promise<infer Result extends object>
        ? undefined extends Info<Result>
          ? Name
          : never
        : never;
    }[keyof Service];
    type Accessors = { [Name in keyof Client]: Client[Name] extends () => infer Service ? Service : never };
    type Missing = { [Name in keyof Accessors as Without<Accessors[Name]> extends never ? never : Name]: Without<Accessors[Name]> };
    // These join the results of several calls.
    expectTypeOf<Missing>().toEqualTypeOf<{ usage: 'summary'; detection: 'detect' | 'probeWithBilledChat'; batch: 'run' }>();
    expectTypeOf<Without<Client>>().toEqualTypeOf<never>();
    expectTypeOf<Info<Received<ChatResponse>>>().toEqualTypeOf<ResponseInfo>();
    expectTypeOf<Info<ChatResponse>>().toEqualTypeOf<ResponseInfo | undefined>();
    expectTypeOf<Info<object>>().toEqualTypeOf<ResponseInfo | undefined>();
    expectTypeOf<Info<Record<string, never>>>().toEqualTypeOf<ResponseInfo | undefined>();
    expectTypeOf<Info<EventStream<ChatChunk>>>().toEqualTypeOf<ResponseInfo | undefined>();
    // A test double needs no mark.
    (reply: ChatResponse) => (async () => reply) satisfies Chat['createSimple'];
  });

  it('have open words that keep the known ones for completion', () => {
    type FinishReason = ChatResponse['choices'][number]['finish_reason'];
    expectTypeOf<string>().toExtend<FinishReason>();
    expectTypeOf<Extract<FinishReason, 'stop'>>().toEqualTypeOf<'stop'>();
    expectTypeOf<Extract<FinishReason, 'sensitive'>>().toEqualTypeOf<'sensitive'>();
    type StopReason = AnthropicReply['stop_reason'];
    expectTypeOf<string>().toExtend<StopReason>();
    expectTypeOf<Extract<StopReason, 'end_turn'>>().toEqualTypeOf<'end_turn'>();
  });

  it('say what may be missing', () => {
    async () => {
      const reply = await client.chat().create(undefined, { model: 'm', messages: [user] });
      // @ts-expect-error there may be no choice
      reply.choices[0].message.content;
      const content = reply.choices[0]?.message.content;
      if (typeof content === 'string') expectTypeOf(content).toEqualTypeOf<string>();
      // @ts-expect-error it may be null, absent or parts
      content satisfies string;
    };
  });
});

describe('AnthropicStreamEvent', () => {
  it('narrows by type, and its delta by its own type', () => {
    (event: AnthropicStreamEvent) => {
      if (event.type === 'message_start') expectTypeOf(event.data.message.id).toEqualTypeOf<string>();
      if (event.type === 'content_block_delta') {
        const { delta, index } = event.data;
        expectTypeOf(index).toEqualTypeOf<number>();
        // @ts-expect-error not every delta has text
        delta.text;
        if (delta.type === 'text_delta') expectTypeOf(delta.text).toEqualTypeOf<string>();
        if (delta.type === 'thinking_delta') expectTypeOf(delta.thinking).toEqualTypeOf<string>();
        if (delta.type === 'input_json_delta') expectTypeOf(delta.partial_json).toEqualTypeOf<string>();
      }
      if (event.type === 'message_delta') expectTypeOf(event.data.delta.stop_reason).toExtend<string | null | undefined>();
      // @ts-expect-error only message_start has the message
      event.data.message;
      // @ts-expect-error events do not change
      event.type = 'ping';
    };
  });

  it('can be gone through without a default', () => {
    (one: AnthropicStreamEvent): string => {
      switch (one.type) {
        case 'message_start':
        case 'ping':
        case 'content_block_start':
        case 'content_block_delta':
        case 'content_block_stop':
        case 'message_delta':
        case 'message_stop':
        case 'error':
          return one.type;
        default:
          return one satisfies never;
      }
    };
  });
});

describe('queries', () => {
  it('have the fields of the spec', () => {
    expectTypeOf<FileQuery>().toEqualTypeOf<operations['files.list']['parameters']['query']>();
    expectTypeOf<VoiceQuery>().toEqualTypeOf<NonNullable<operations['voice.list']['parameters']['query']>>();
    expectTypeOf<ParserFormat>().toEqualTypeOf<operations['fileParser.result']['parameters']['path']['format_type']>();
  });
});

describe('bindings', () => {
  it('know the paths of their surface and no others', () => {
    () => bindings.POST('/chat/completions', { body: { model: 'm', messages: [user] } });
    // @ts-expect-error a path of the other surface
    () => bindings.POST('/v1/messages', { body: { model: 'm', max_tokens: 1, messages: [] } });
    () => messageBindings.POST('/v1/messages', { body: { model: 'm', max_tokens: 1, messages: [] } });
    // @ts-expect-error a path of the other surface
    () => messageBindings.POST('/chat/completions', { body: { model: 'm', messages: [user] } });
    // @ts-expect-error no such surface
    () => client.bindings('moon');
  });

  it('know methods, parameters and bodies', () => {
    () => bindings.GET('/async-result/{id}', { params: { path: { id: '1' } } });
    // @ts-expect-error the id is missing
    () => bindings.GET('/async-result/{id}');
    // @ts-expect-error nothing to get there
    () => bindings.GET('/chat/completions');
    // @ts-expect-error the body lacks its messages
    () => bindings.POST('/chat/completions', { body: { model: 'm' } });
    async () => {
      const { data } = await bindings.GET('/async-result/{id}', { params: { path: { id: '1' } } });
      expectTypeOf(data?.id).toEqualTypeOf<string | undefined>();
      // @ts-expect-error a failure has no data
      data.id;
    };
  });
});

describe('hooks and errors', () => {
  it('hand the state of onRequest to the later firings', () => {
    const clock: Hook<number> = {
      onRequest: () => performance.now(),
      onResponse: (meta, started) => {
        expectTypeOf(meta).toEqualTypeOf<ResponseMeta>();
        expectTypeOf(started).toEqualTypeOf<number>();
      },
    };
    expectTypeOf([clock]).toExtend<NonNullable<Config['hooks']>>();
    expectTypeOf<keyof RequestMeta>().toEqualTypeOf<'service' | 'method' | 'endpoint' | 'model' | 'attempt' | 'operation' | 'waitedMs'>();
  });

  it('are facts to branch on', () => {
    (error: unknown) => {
      // @ts-expect-error not known yet
      error.category;
      if (isApiError(error)) {
        expectTypeOf(error.category).toEqualTypeOf<ErrorCategory>();
        expectTypeOf(error.code).toEqualTypeOf<string | undefined>();
        expectTypeOf(error.status).toEqualTypeOf<number>();
      }
      if (isModelsvcError(error, 'task')) expectTypeOf(error.result).toEqualTypeOf<unknown>();
    };
  });
});

describe('collecting', () => {
  it('has the response of its surface, and passes for the stream', () => {
    const chat = (client: Client) => collecting(client.chat().stream(undefined, { model: 'm', messages: [user] }));
    const message = (client: Client) => collecting(client.anthropic().stream(undefined, { model: 'm', max_tokens: 1, messages: [user] }));
    expectTypeOf(chat).returns.toEqualTypeOf<CollectingStream<ChatChunk, ChatResponse>>();
    expectTypeOf(message).returns.toEqualTypeOf<CollectingStream<AnthropicStreamEvent, AnthropicReply>>();
    expectTypeOf<ReturnType<ReturnType<typeof chat>['response']>>().resolves.toEqualTypeOf<ChatResponse>();
    expectTypeOf<ReturnType<ReturnType<typeof message>['response']>>().resolves.toEqualTypeOf<AnthropicReply>();
    expectTypeOf<ReturnType<typeof chat>>().toExtend<Parameters<typeof textDeltas>[0]>();
    expectTypeOf<ReturnType<typeof message>>().toExtend<Parameters<typeof textDeltas>[0]>();
    // @ts-expect-error an answer is not a stream
    ((answer: ChatResponse) => collecting(answer)) satisfies unknown;
  });

  it('leaves the response so far on the errors', () => {
    expectTypeOf<StreamError['partial']>().toEqualTypeOf<ChatResponse | AnthropicReply | ResponsesReply | undefined>();
    expectTypeOf<AbortError['partial']>().toEqualTypeOf<StreamError['partial']>();
  });
});
