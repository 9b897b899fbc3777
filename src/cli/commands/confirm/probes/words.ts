// Words and limits of requests, on a free model: a claimed word is accepted, and a value beyond a limit is refused.
import { items, type ReplyFields } from '../reply.ts';
import { refusedWord, takenWord } from './judges.ts';
import { bothKeys, type ClaimProbe, type ClaimSource, chatPath, hello, type Judge, messagesPath, responsesPath } from './probe.ts';

interface RequestPlace {
  readonly path: string;
  readonly base: ReplyFields;
}

function places({ model }: ClaimSource): Readonly<Record<'chat' | 'messages' | 'responses', RequestPlace>> {
  const chat = { model, messages: hello, max_tokens: 1 };
  return {
    chat: { path: chatPath, base: chat },
    messages: { path: messagesPath, base: chat },
    responses: { path: responsesPath, base: { model, input: 'Hi', max_output_tokens: 1 } },
  };
}

const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } } };

/** Messages that contain a role. */
function withRole(role: unknown): ReplyFields {
  if (role === 'assistant') return { messages: [...hello, { role, content: 'Hi' }, ...hello] };
  if (role === 'tool')
    return {
      messages: [...hello, { role: 'assistant', content: '', tool_calls: [call] }, { role, tool_call_id: 'call_1', content: '1' }],
      tools: [tool],
    };
  return { messages: role === 'user' ? hello : [{ role, content: 'Be brief' }, ...hello] };
}

/** ReplyFields of a request that contain a word of an enum. */
const enums: readonly (readonly [id: string, surface: 'chat' | 'messages' | 'responses', fields: (word: unknown) => ReplyFields])[] = [
  ['enum:ChatMessage.role', 'chat', withRole],
  ['enum:Thinking.type', 'chat', (type) => ({ thinking: { type } })],
  ['enum:ChatRequest.reasoning_effort', 'chat', (word) => ({ reasoning_effort: word })],
  [
    'enum:ResponseFormat.type',
    'chat',
    (type) => ({ response_format: { type, ...(type === 'json_schema' && { json_schema: { name: 'a', schema: { type: 'object' } } }) } }),
  ],
  ['enum:ChatRequest.tool_choice', 'chat', (word) => ({ tools: [tool], tool_choice: word })],
  [
    'enum:AnthropicThinking.type',
    'messages',
    (type) => ({ max_tokens: 1025, thinking: { type, ...(type === 'enabled' && { budget_tokens: 1024 }) } }),
  ],
  ['enum:AnthropicOutputConfig.effort', 'messages', (effort) => ({ output_config: { effort } })],
  ['enum:ResponsesReasoning.effort', 'responses', (effort) => ({ reasoning: { effort } })],
  ['enum:ResponsesRequest.tool_choice', 'responses', (word) => ({ tool_choice: word })],
];

export function wordProbes(source: ClaimSource): ClaimProbe[] {
  const surfaces = places(source);
  return enums.flatMap(([id, surface, fields]) => {
    const claim = source.claims.get(id);
    if (claim === undefined) return [];
    return items(claim.value).map((word): ClaimProbe => {
      const { path, base } = surfaces[surface];
      const body = { ...base, ...fields(word) };
      return {
        name: `${surface} ${id.slice('enum:'.length)} ${String(word)}`,
        method: 'POST',
        template: path,
        body,
        ...(surface !== 'chat' && { keys: bothKeys }),
        work: { model: source.model, output: Number(body['max_tokens'] ?? 1) },
        judges: [{ claim, isPart: true, judge: takenWord(claim, String(word)) }],
      };
    });
  });
}

const schemas: Readonly<Record<string, 'chat' | 'messages' | 'responses'>> = {
  ChatRequest: 'chat',
  AnthropicMessageRequest: 'messages',
  ResponsesRequest: 'responses',
};
/** ReplyFields whose rules are a schema of their own. */
const shared: Readonly<Record<string, string>> = { RequestId: 'request_id', UserId: 'user_id' };

/** A limit is accepted, and a value beyond it is refused. */
export function limitProbes(source: ClaimSource): ClaimProbe[] {
  const surfaces = places(source);
  return source.matching(/^limit:([A-Za-z]+)(?:\.([a-z_]+))?\.([A-Za-z]+)$/).flatMap(({ claim, parts: [schema = '', own = '', keyword = ''] }) => {
    const surface = Object.hasOwn(shared, schema) ? 'chat' : Object.hasOwn(schemas, schema) ? schemas[schema] : undefined;
    const field = own === '' ? shared[schema] : own;
    // The limit of a model is lower than that of the field for all models, and its refusal would not be about the field.
    const isOfModel = /max_(?:output_)?tokens$/.test(field ?? '') && keyword === 'maximum';
    const values = limitValues(claim.value, keyword);
    if (surface === undefined || field === undefined || values === undefined || isOfModel) return [];
    const { path, base } = surfaces[surface];
    const probe = (side: 'at' | 'beyond', judge: Judge): ClaimProbe => {
      const body = { ...base, [field]: values[side] };
      return {
        name: `${surface} ${field} ${keyword} ${side}`,
        method: 'POST',
        template: path,
        body,
        ...(surface !== 'chat' && { keys: bothKeys }),
        work: { model: source.model, output: 16 },
        judges: [{ claim, isPart: true, judge }],
      };
    };
    const canBe = field !== 'messages' && field !== 'input';
    return [...(canBe ? [probe('at', takenWord(claim, 'at it'))] : []), probe('beyond', refusedWord(claim, 'beyond it'))];
  });
}

/** A value at a limit, and one just beyond it. */
function limitValues(value: unknown, keyword: string): { readonly at: unknown; readonly beyond: unknown } | undefined {
  if (typeof value !== 'number') return undefined;
  const text = (length: number): string => 'x'.repeat(length);
  const list = (length: number): string[] => Array.from({ length }, (_, at) => `x${at}`);
  if (keyword === 'minimum') return { at: value, beyond: value - 1 };
  if (keyword === 'maximum') return { at: value, beyond: value + 1 };
  if (value < 1 || value > 4096) return undefined;
  if (keyword === 'minLength') return { at: text(value), beyond: text(value - 1) };
  if (keyword === 'maxLength') return { at: text(value), beyond: text(value + 1) };
  if (keyword === 'minItems') return { at: list(value), beyond: list(value - 1) };
  return keyword === 'maxItems' ? { at: list(value), beyond: list(value + 1) } : undefined;
}
