import { examples, requests } from '../../src/generated/examples.ts';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { type Client, defineTool, outputFormat } from '../../src/overlay/index.ts';
import type { Quotas } from '../../src/services/index.ts';

/** An operation of the service, as it is known from the outside. */
export interface KnownOperation {
  /** The surface whose root it uses. */
  readonly surface: Exclude<Route['surface'], 'coding'>;
  /** Method and path below the root, ids as `nastyId` escaped. */
  readonly wire: string;
  /** A call that is valid, so that it is sent. */
  readonly perform: (client: Client) => Promise<unknown>;
}

/** An id that would become another URL, were it not escaped. */
const nastyId = '../a/b?c=d#e f%2F.ü';
const escaped = '..%2Fa%2Fb%3Fc%3Dd%23e%20f%252F.%C3%BC';

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const file = new TextEncoder().encode('{}\n');
const picture = 'https://example.com/a.png';
const window: Parameters<Quotas['getModelUsage']>[1] = { start: new Date(0), end: new Date(1000) };

/** The call of an operation by its method, with the first example of the document. Arguments are the ids of the path, then the body or the query. */
function derived({ id, method, path, surface, pathParameters }: Route): KnownOperation {
  const [group = '', name = ''] = id.split('.');
  const { parameters = {} } = examples[id] ?? {};
  const query = Object.fromEntries(Object.entries(parameters).filter(([one]) => !pathParameters.includes(one)));
  const [request = query] = Object.values(requests[id] ?? {});
  return {
    surface: surface as KnownOperation['surface'],
    wire: `${method} ${path.replace(/\{\w+\}/g, escaped)}`,
    perform: async (client) => {
      const service = (client as unknown as Record<string, () => Record<string, (...values: unknown[]) => unknown>>)[group]?.();
      return service?.[name]?.(undefined, ...pathParameters.map(() => nastyId), request);
    },
  };
}

/** Every operation. A row by hand is for a method whose arguments are others; it also keeps path and surface as they were. */
export const everyOperation: Readonly<Record<string, KnownOperation>> = {
  ...Object.fromEntries(allRoutes.map((route) => [route.id, derived(route)])),
  'chat.create': { surface: 'chat', wire: 'POST /chat/completions', perform: (c) => c.chat().create(undefined, chat) },
  'chat.createAsync': { surface: 'chat', wire: 'POST /async/chat/completions', perform: (c) => c.chat().createAsync(undefined, chat) },
  'client.getAsyncResult': { surface: 'chat', wire: `GET /async-result/${escaped}`, perform: (c) => c.getAsyncResult(undefined, nastyId) },
  'anthropic.create': {
    surface: 'messages',
    wire: 'POST /v1/messages',
    perform: (c) => c.anthropic().create(undefined, { model: 'glm-4.7', max_tokens: 9, messages }),
  },
  'anthropic.countTokens': {
    surface: 'messages',
    wire: 'POST /v1/messages/count_tokens',
    perform: (c) => c.anthropic().countTokens(undefined, { model: 'glm-4.7', messages }),
  },
  'responses.create': {
    surface: 'responses',
    wire: 'POST /responses',
    perform: (c) => c.responses().create(undefined, { model: 'glm-4.7', input: 'hi' }),
  },
  'responses.get': { surface: 'responses', wire: `GET /responses/${escaped}`, perform: (c) => c.responses().get(undefined, nastyId) },
  'responses.delete': { surface: 'responses', wire: `DELETE /responses/${escaped}`, perform: (c) => c.responses().delete(undefined, nastyId) },
  'responses.inputItems': {
    surface: 'responses',
    wire: `GET /responses/${escaped}/input_items`,
    perform: (c) => c.responses().inputItems(undefined, nastyId),
  },
  'agents.invoke': { surface: 'agents', wire: 'POST /v1/agents', perform: (c) => c.agents().invoke(undefined, { agent_id: 'a', messages }) },
  'agents.asyncResult': {
    surface: 'agents',
    wire: 'POST /v1/agents/async-result',
    perform: (c) => c.agents().asyncResult(undefined, { agent_id: 'a', async_id: 'b' }),
  },
  'agents.conversation': {
    surface: 'agents',
    wire: 'POST /v1/agents/conversation',
    perform: (c) => c.agents().conversation(undefined, { agent_id: 'a', conversation_id: 'b' }),
  },
  'images.generate': {
    surface: 'chat',
    wire: 'POST /images/generations',
    perform: (c) => c.images().generate(undefined, { model: 'glm-image', prompt: 'a' }),
  },
  'images.generateAsync': {
    surface: 'chat',
    wire: 'POST /async/images/generations',
    perform: (c) => c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a' }),
  },
  'videos.generate': {
    surface: 'chat',
    wire: 'POST /videos/generations',
    perform: (c) => c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'a' }),
  },
  'audio.transcribe': {
    surface: 'chat',
    wire: 'POST /audio/transcriptions',
    perform: (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file }),
  },
  'audio.speech': {
    surface: 'chat',
    wire: 'POST /audio/speech',
    perform: (c) => c.audio().speech(undefined, { model: 'glm-tts', input: 'a', voice: 'tongtong' }),
  },
  'voice.clone': {
    surface: 'chat',
    wire: 'POST /voice/clone',
    perform: (c) => c.voice().clone(undefined, { model: 'glm-tts-clone', voice_name: 'a', input: 'b', file_id: 'c' }),
  },
  'voice.list': { surface: 'chat', wire: 'GET /voice/list', perform: (c) => c.voice().list(undefined, { voiceName: 'tong', voiceType: 'OFFICIAL' }) },
  'voice.delete': { surface: 'chat', wire: 'POST /voice/delete', perform: (c) => c.voice().delete(undefined, { voice: 'a' }) },
  'layout.parse': {
    surface: 'chat',
    wire: 'POST /layout_parsing',
    perform: (c) => c.layout().parse(undefined, { model: 'glm-ocr', file: picture }),
  },
  'layout.handwritingOCR': {
    surface: 'chat',
    wire: 'POST /files/ocr',
    perform: (c) => c.layout().handwritingOCR(undefined, { file, filename: 'a.jpg', tool_type: 'hand_write' }),
  },
  'fileParser.create': {
    surface: 'chat',
    wire: 'POST /files/parser/create',
    perform: (c) => c.fileParser().create(undefined, { file, tool_type: 'lite', file_type: 'TXT' }),
  },
  'fileParser.result': {
    surface: 'chat',
    wire: `GET /files/parser/result/${escaped}/text`,
    perform: (c) => c.fileParser().result(undefined, nastyId, 'text'),
  },
  'fileParser.sync': {
    surface: 'chat',
    wire: 'POST /files/parser/sync',
    perform: (c) => c.fileParser().sync(undefined, { file, tool_type: 'prime-sync', file_type: 'TXT' }),
  },
  'files.list': { surface: 'chat', wire: 'GET /files', perform: (c) => c.files().list(undefined, { purpose: 'batch', limit: 50 }) },
  'files.upload': { surface: 'chat', wire: 'POST /files', perform: (c) => c.files().upload(undefined, { file, purpose: 'batch' }) },
  'files.delete': { surface: 'chat', wire: `DELETE /files/${escaped}`, perform: (c) => c.files().delete(undefined, nastyId) },
  'files.content': { surface: 'chat', wire: `GET /files/${escaped}/content`, perform: (c) => c.files().content(undefined, nastyId) },
  'batch.list': { surface: 'chat', wire: 'GET /batches', perform: (c) => c.batch().list(undefined, { after: 'a', limit: 10 }) },
  'batch.create': {
    surface: 'chat',
    wire: 'POST /batches',
    perform: (c) => c.batch().create(undefined, { input_file_id: 'a', endpoint: '/v4/chat/completions' }),
  },
  'batch.retrieve': { surface: 'chat', wire: `GET /batches/${escaped}`, perform: (c) => c.batch().retrieve(undefined, nastyId) },
  'batch.cancel': { surface: 'chat', wire: `POST /batches/${escaped}/cancel`, perform: (c) => c.batch().cancel(undefined, nastyId) },
  'embeddings.create': {
    surface: 'china',
    wire: 'POST /embeddings',
    perform: (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: 'a' }),
  },
  'moderations.create': {
    surface: 'china',
    wire: 'POST /moderations',
    perform: (c) => c.moderations().create(undefined, { model: 'moderation', input: 'a' }),
  },
  'rerank.create': {
    surface: 'chat',
    wire: 'POST /rerank',
    perform: (c) => c.rerank().create(undefined, { model: 'rerank', query: 'a', documents: ['b', 'c'] }),
  },
  'tools.webSearch': {
    surface: 'chat',
    wire: 'POST /web_search',
    perform: (c) => c.tools().webSearch(undefined, { search_query: 'a', search_engine: 'search_std' }),
  },
  'tools.webReader': { surface: 'chat', wire: 'POST /reader', perform: (c) => c.tools().webReader(undefined, { url: 'https://example.com' }) },
  'tools.tokenize': { surface: 'chat', wire: 'POST /tokenizer', perform: (c) => c.tools().tokenize(undefined, chat) },
  'models.list': { surface: 'chat', wire: 'GET /models', perform: (c) => c.models().list(undefined) },
  'quota.getLimit': { surface: 'monitor', wire: 'GET /usage/quota/limit', perform: (c) => c.quota().getLimit(undefined) },
  'quota.getModelUsage': { surface: 'monitor', wire: 'GET /usage/model-usage', perform: (c) => c.quota().getModelUsage(undefined, window) },
  'quota.getToolUsage': { surface: 'monitor', wire: 'GET /usage/tool-usage', perform: (c) => c.quota().getToolUsage(undefined, window) },
  'quota.getCreditUsage': {
    surface: 'monitor',
    wire: 'GET /credit-usage/usage-detail',
    perform: (c) => c.quota().getCreditUsage(undefined, window),
  },
  'quota.getActivity': { surface: 'monitor', wire: 'GET /credit-usage/activity', perform: (c) => c.quota().getActivity(undefined, window) },
  'account.info': { surface: 'biz', wire: 'GET /account/info', perform: (c) => c.account().info(undefined) },
  'account.status': { surface: 'biz', wire: 'GET /account/status', perform: (c) => c.account().status(undefined) },
  'account.subscriptions': { surface: 'biz', wire: 'GET /subscription/list', perform: (c) => c.account().subscriptions(undefined) },
};

const tools = [defineTool({ name: 'f', description: 'F.', input: {}, run: () => 'done' })];
const message = { model: 'glm-4.7', max_tokens: 9, messages };
const response = { model: 'glm-4.7', input: 'hi' };
const format = outputFormat({ type: 'object', properties: {} });
const first = (stream: AsyncIterator<unknown>): Promise<unknown> => stream.next();

/** The methods with a context that are not operations: other forms, and those that need several calls. A stream is read up to its first item. */
export const everyOtherMethod: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'chat.createSimple': (c) => c.chat().createSimple(undefined, 'glm-4.6', 'hi'),
  'chat.stream': (c) => first(c.chat().stream(undefined, chat)),
  'chat.createStream': (c) => c.chat().createStream(undefined, chat, () => undefined),
  'chat.runWithTools': (c) => c.chat().runWithTools(undefined, chat, tools),
  'chat.runWithToolsLimit': (c) => c.chat().runWithToolsLimit(undefined, chat, tools, 2),
  'chat.streamWithTools': (c) => first(c.chat().streamWithTools(undefined, chat, tools)),
  'chat.parse': (c) => c.chat().parse(undefined, chat, format),
  'anthropic.parse': (c) => c.anthropic().parse(undefined, message, format),
  'anthropic.stream': (c) => first(c.anthropic().stream(undefined, message)),
  'anthropic.createStream': (c) => c.anthropic().createStream(undefined, message, () => undefined),
  'anthropic.runWithTools': (c) => c.anthropic().runWithTools(undefined, message, tools),
  'anthropic.streamWithTools': (c) => first(c.anthropic().streamWithTools(undefined, message, tools)),
  'responses.createSimple': (c) => c.responses().createSimple(undefined, 'glm-4.7', 'hi'),
  'responses.parse': (c) => c.responses().parse(undefined, response, format),
  'responses.stream': (c) => first(c.responses().stream(undefined, response)),
  'responses.runWithTools': (c) => c.responses().runWithTools(undefined, response, tools),
  'responses.streamWithTools': (c) => first(c.responses().streamWithTools(undefined, response, tools)),
  'agents.stream': (c) => first(c.agents().stream(undefined, { agent_id: 'a', messages })),
  'agents.wait': (c) => c.agents().wait(undefined, { agent_id: 'a', async_id: 'b' }, { maxWait: 1000 }),
  'audio.transcribeStream': (c) => first(c.audio().transcribeStream(undefined, { model: 'glm-asr-2512', file })),
  'audio.speechStream': (c) => first(c.audio().speechStream(undefined, { model: 'glm-tts', input: 'a', voice: 'tongtong' })),
  'fileParser.wait': (c) => c.fileParser().wait(undefined, 'a', 'text', { maxWait: 1000 }),
  'files.listAll': (c) => first(c.files().listAll(undefined, { purpose: 'batch' })),
  'batch.start': (c) => c.batch().start(undefined, [{ body: chat }]),
  'batch.listAll': (c) => first(c.batch().listAll(undefined)),
  'batch.wait': (c) => c.batch().wait(undefined, 'a', { maxWait: 1000 }),
  'batch.run': (c) => c.batch().run(undefined, [{ body: chat }], { resume: 'a', maxWait: 1000 }),
  'models.get': (c) => c.models().get(undefined, 'glm-4.6'),
  'models.getTextModels': (c) => c.models().getTextModels(undefined),
  'models.getVisionModels': (c) => c.models().getVisionModels(undefined),
  'models.getFreeModels': (c) => c.models().getFreeModels(undefined),
  'models.refreshCache': (c) => c.models().refreshCache(undefined),
  'usage.summary': (c) => c.usage().summary(undefined),
  'detection.detect': (c) => c.detection().detect(undefined),
  'detection.probeWithBilledChat': (c) => c.detection().probeWithBilledChat(undefined),
  'client.waitForResult': (c) => c.waitForResult(undefined, 'a', { maxWait: 1000 }),
  'client.fetchFile': (c) => c.fetchFile(undefined, picture),
};
