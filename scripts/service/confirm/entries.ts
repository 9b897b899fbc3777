// The requests of a run: small or free, each with its largest cost. The first show the most for the least money.

import { effortWords } from '../../../src/generated/effort.ts';
import { type Client, defineTool, estimateCost, isApiError } from '../../../src/overlay/index.ts';
import type { Claim } from '../../generate/claims/claim.ts';
import type { Claims } from '../facts.ts';

/** A plan key may call chat on the coding root, messages and Responses. */
export type KeyKind = 'payg' | 'plan';

export interface Entry {
  /** Unique and stable, for instance `chat stream`. */
  readonly name: string;
  readonly keys: readonly KeyKind[];
  /** Number of requests, at most. */
  readonly requests: number;
  /** The model that works, and the most tokens that it reads and writes in all requests. None for a free entry. */
  readonly work?: { readonly model: string; readonly input: number; readonly output: number };
  /** The claim of a refusal that the last reply must show. Without one, the replies must be successes. */
  readonly refusal?: Claim;
  /** Sends the requests. Errors of the library may be thrown: the recording decides. */
  run(client: Client): Promise<unknown>;
}

const both: readonly KeyKind[] = ['payg', 'plan'];
const payg: readonly KeyKind[] = ['payg'];
const question = 'How many letters has the word "rain"? Use the tool.';

const count = defineTool({
  name: 'count_letters',
  description: 'Counts the letters of a word.',
  input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: () => '4',
});

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of stream);
}

/** Every entry for these claims. `model` answers where any model would do. */
export function entriesOf(claims: Claims, model: string): Entry[] {
  return [...reads(), ...talks(model), ...jobs(model), ...refusals(claims, model)];
}

/** The cheapest chat model whose thinking can be switched: it shows the most fields. */
export function cheapestModel(claims: Claims): string {
  const price = (id: string): number => Number(claims.get(`price:${id}.output`)?.value ?? Number.POSITIVE_INFINITY);
  const ids = [...claims.values()].flatMap(({ id, value }) => (value === 'chat' && /^model:[^.]/.test(id) ? [id.slice('model:'.length)] : []));
  const able = ids.filter(
    (id) => claims.get(`model:${id}.thinking`)?.value === 'switchable' && claims.get(`model:${id}.status`)?.value === 'current',
  );
  return able.sort((a, b) => price(a) - price(b))[0] ?? 'glm-4.7-flash';
}

/** Largest cost in US dollars, by list prices. Undefined without a price. */
export function largestCost({ work }: Entry): number | undefined {
  return work === undefined ? 0 : estimateCost(work.model, { prompt_tokens: work.input, completion_tokens: work.output });
}

function reads(): Entry[] {
  const window = { start: new Date('2026-11-01T00:00:00Z'), end: new Date('2026-11-02T00:00:00Z') };
  const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    'models.list': (c) => c.models().list(undefined),
    'quota.getLimit': (c) => c.quota().getLimit(undefined),
    'quota.getModelUsage': (c) => c.quota().getModelUsage(undefined, window),
    'quota.getToolUsage': (c) => c.quota().getToolUsage(undefined, window),
    'account.info': (c) => c.account().info(undefined),
    'account.status': (c) => c.account().status(undefined),
    'account.subscriptions': (c) => c.account().subscriptions(undefined),
    'voice.list': (c) => c.voice().list(undefined),
    'files.list': (c) => c.files().list(undefined, { purpose: 'batch' }),
    'batch.list': (c) => c.batch().list(undefined),
  };
  return Object.entries(calls).map(([name, run]) => ({ name, keys: payg, requests: 1, run }));
}

/** Each surface in a pair of forms, whole and as a stream, and with a round of a tool. Without `wholeReplies` both would be streams. */
function talks(model: string): Entry[] {
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const ask = [{ role: 'user' as const, content: question }];
  const small = { keys: both, requests: 1, work: { model, input: 200, output: 64 } };
  const round = { keys: both, requests: 2, work: { model, input: 2000, output: 1024 } };
  const whole = { wholeReplies: true };
  const chat = { model, messages, max_tokens: 64 };
  const chatTool = { model, messages: ask, max_tokens: 512 };
  const responses = { model, input: 'Hi', max_output_tokens: 64 };
  const responsesTool = { model, input: question, max_output_tokens: 512 };
  return [
    { name: 'chat', ...small, run: (c) => c.chat().create(whole, chat) },
    { name: 'chat stream', ...small, run: (c) => drained(c.chat().stream(undefined, chat)) },
    { name: 'chat tool', ...round, run: (c) => c.chat().runWithTools(whole, chatTool, [count]) },
    { name: 'chat tool stream', ...round, run: (c) => drained(c.chat().streamWithTools(undefined, chatTool, [count])) },
    { name: 'messages', ...small, run: (c) => c.anthropic().create(whole, chat) },
    // The newest clients send this version, and no evidence shows whether the service takes it.
    { name: 'messages version 2026-10-21', ...small, run: raw('messages', chat, { 'anthropic-version': '2026-10-21' }) },
    { name: 'messages stream', ...small, run: (c) => drained(c.anthropic().stream(undefined, chat)) },
    { name: 'messages tool', ...round, run: (c) => c.anthropic().runWithTools(whole, chatTool, [count]) },
    { name: 'messages tool stream', ...round, run: (c) => drained(c.anthropic().streamWithTools(undefined, chatTool, [count])) },
    { name: 'responses', ...small, run: (c) => c.responses().create(whole, responses) },
    { name: 'responses stream', ...small, run: (c) => drained(c.responses().stream(undefined, responses)) },
    { name: 'responses tool', ...round, run: (c) => c.responses().runWithTools(whole, responsesTool, [count]) },
    { name: 'responses tool stream', ...round, run: (c) => drained(c.responses().streamWithTools(undefined, responsesTool, [count])) },
    { name: 'messages count_tokens', keys: both, requests: 1, run: (c) => c.anthropic().countTokens(undefined, { model, messages }) },
    { name: 'tokenizer', keys: payg, requests: 1, run: (c) => c.tools().tokenize(undefined, { model, messages }) },
  ];
}

/** A file and a batch of one line, which are removed at once. */
function jobs(model: string): Entry[] {
  const line = {
    custom_id: 'confirm-1',
    method: 'POST',
    url: '/v4/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
  };
  const file = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  const run = async (client: Client): Promise<void> => {
    const { id } = await client.files().upload(undefined, { file, filename: 'confirm.jsonl', purpose: 'batch' });
    try {
      await client.files().content(undefined, id);
      const batch = await client.batch().create(undefined, { input_file_id: id, endpoint: '/v4/chat/completions' });
      await client.batch().retrieve(undefined, batch.id);
      await client.batch().cancel(undefined, batch.id);
    } finally {
      await client.files().delete(undefined, id);
    }
  };
  return [{ name: 'batch of one line', keys: payg, requests: 6, work: { model, input: 200, output: 1 }, run }];
}

type Surface = 'chat' | 'messages' | 'responses';

const paths = { chat: '/chat/completions', messages: '/v1/messages', responses: '/responses' } as const;

/** A request without the rules of the client. */
function raw(surface: Surface, body: object, headers: object = {}): (client: Client) => Promise<unknown> {
  const request = (client: Client): ((method: string, path: string, init: object) => Promise<unknown>) => client.bindings(surface).request as never;
  return (client) => request(client)('post', paths[surface], { body, headers });
}

function textOf(surface: Surface, model: string, tokens: number): object {
  if (surface === 'responses') return { model, input: 'Hi', max_output_tokens: tokens };
  return { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: tokens };
}

function refusals(claims: Claims, model: string): Entry[] {
  const unknown = 'modelsvc-confirm-unknown';
  const surfaces: readonly (readonly [Surface, string | undefined])[] = [
    ['chat', undefined],
    ['messages', 'anthropic.create.unknown_model'],
    ['responses', 'responses.create.unknown_model'],
  ];
  const wrongKey = async (client: Client, surface: Surface): Promise<unknown> =>
    raw(surface, textOf(surface, model, 1))(client.with({ apiKey: 'wrong-id.wrong-secret', chinaAPIKey: 'wrong-id.wrong-secret' }));
  const entry = (name: string, id: string | undefined, keys: readonly KeyKind[], run: Entry['run'], work?: Entry['work']): Entry[] => {
    const claim = id === undefined ? claims.get('code:1211') : claims.get(id);
    return claim === undefined ? [] : [{ name, keys, requests: 1, refusal: claim, run, ...(work && { work }) }];
  };
  return [
    ...surfaces.flatMap(([surface, id]) => entry(`${surface} unknown model`, id && `refusal:${id}`, both, raw(surface, textOf(surface, unknown, 1)))),
    ...entry('chat wrong key', 'code:401', both, (c) => wrongKey(c, 'chat')),
    ...entry('responses wrong key', 'refusal:responses.create.wrong_key', both, (c) => wrongKey(c, 'responses')),
    ...entry('unknown task', 'refusal:client.getAsyncResult.unknown_task', payg, (c) =>
      c.getAsyncResult(undefined, 'modelsvc-confirm').catch(expected),
    ),
    ...[...claims.values()].flatMap((claim) => ofModel(claim)),
  ];
}

/** The refusals in the row of a model. Each costs what an answer would cost, if the service accepted it. */
function ofModel(claim: Claim): Entry[] {
  const [, model = '', rule = '', root] = /^refusal:(.+)\.(max_tokens|tool_choice|plan|effort)(?:@(platform|responses))?$/.exec(claim.id) ?? [];
  const { allowed } = (claim.value ?? {}) as { readonly allowed?: unknown };
  const entry = (name: string, keys: readonly KeyKind[], run: Entry['run'], output = 1): Entry => ({
    name: `${model} ${name}`,
    keys,
    requests: 1,
    refusal: claim,
    work: { model, input: 200, output },
    run,
  });
  const chat = textOf('chat', model, 1);
  if (rule === 'max_tokens' && typeof allowed === 'number')
    return [entry('max_tokens', payg, raw('chat', textOf('chat', model, allowed + 1)), allowed + 1)];
  if (rule === 'tool_choice') {
    const tools = [{ type: 'function', function: { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } } }];
    return [entry('tool_choice', payg, raw('chat', { ...chat, tools, tool_choice: 'required' }))];
  }
  if (rule === 'plan') return [entry('plan key', ['plan'], raw('chat', chat))];
  if (rule !== 'effort' || !Array.isArray(allowed)) return [];
  const [word] = effortWords.filter((one) => !allowed.includes(one));
  if (word === undefined) return [];
  if (root === 'responses')
    return [entry(`effort ${word} on responses`, both, raw('responses', { ...textOf('responses', model, 1), reasoning: { effort: word } }))];
  return [entry(`effort ${word}`, payg, raw('chat', { ...chat, reasoning_effort: word }))];
}

function expected(error: unknown): void {
  if (!isApiError(error)) throw error;
}
