// Differences that a proxy plants into the replies of the fake: each is found at its place, and replies as they are have none.
import { describe, expect, it } from 'vitest';
import { body, type CallName, type Change, calls, event, found, recordingOf } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: a planted difference breaks the types.
type Any = any;
const set = (name: string, value: unknown) => (one: Any) => void (one[name] = value);
const remove = (name: string) => (one: Any) => void delete one[name];
const rename = (from: string, to: string) => (one: Any) => {
  one[to] = one[from];
  delete one[from];
};
/** Edits what is at a place such as `choices.0.delta`. `@name` is the entry of a list with this type. */
const at = (place: string, edit: (one: Any) => void) => (one: Any) => {
  let inner = one;
  for (const step of place.split('.')) inner = step.startsWith('@') ? inner?.find((item: Any) => item.type === step.slice(1)) : inner?.[step];
  if (inner !== undefined && inner !== null) edit(inner);
};
const add = (more: object) => (list: Any) => list.push({ ...list[0], ...more });
const status =
  (code: number, text?: string): Change =>
  () => ({ status: code, ...(text !== undefined && { text }) });
const refused = (code: number, error: object): Change => status(code, JSON.stringify({ error }));
const inserted =
  (frame: string): Change =>
  ({ text }) => ({ text: frame + text });

const planted: readonly (readonly [call: CallName, what: string, change: Change, kind: string, place: string])[] = [
  ['chat', 'a new finish_reason', body(at('choices.0', set('finish_reason', 'paused'))), 'new', 'response.body.choices[].finish_reason'],
  ['chat', 'a renamed field of usage', body(at('usage', rename('prompt_tokens', 'input_tokens'))), 'new', 'response.body.usage.input_tokens'],
  ['chat', 'a missing field of usage', body(at('usage', remove('total_tokens'))), 'differs', 'response.body.usage.total_tokens'],
  ['chat', 'no usage', body(remove('usage')), 'differs', 'response.body.usage'],
  ['chat', 'no finish_reason', body(at('choices.0', remove('finish_reason'))), 'differs', 'response.body.choices[].finish_reason'],
  ['chat', 'a number as text', body(at('usage', set('total_tokens', '12'))), 'differs', 'response.body.usage.total_tokens'],
  ['chat', 'a list as object', body(set('choices', {})), 'differs', 'response.body.choices'],
  ['chat', 'content as a number', body(at('choices.0.message', set('content', 7))), 'differs', 'response.body.choices[].message.content'],
  ['chat', 'a new field', body(at('choices.0.message', set('refusal', null))), 'new', 'response.body.choices[].message.refusal'],
  ['chat', 'a new role', body(at('choices.0.message', set('role', 'model'))), 'new', 'response.body.choices[].message.role'],
  ['chat', 'a new model', body(set('model', 'glm-0')), 'new', 'response model'],
  ['chat', 'another known model', body(set('model', 'glm-4.6')), 'differs', 'response model'],
  ['chat', 'a new status of success', status(202), 'new', 'response.status'],
  ['chat', 'a new status of failure', refused(418, { code: '1210', message: 'x' }), 'new', 'response.status'],
  ['chat', 'a new code', refused(400, { code: '1499', message: 'x' }), 'new', 'response code'],
  ['chat', 'a code with another status', refused(404, { code: '1211', message: 'x' }), 'differs', 'response.status'],
  ['chat', 'a failure without its error', status(400, '{"detail":"x"}'), 'differs', 'response.body.error'],
  ['chat', 'another media type', () => ({ headers: { 'content-type': 'text/plain' } }), 'differs', 'response.headers.content-type'],
  [
    'chatStream',
    'a new finish_reason',
    event(
      undefined,
      at('choices.0', (one) => one.finish_reason && (one.finish_reason = 'paused')),
    ),
    'new',
    'response.events[].choices[].finish_reason',
  ],
  ['chatStream', 'a renamed delta', event(undefined, at('choices.0', rename('delta', 'message'))), 'new', 'response.events[].choices[].message'],
  [
    'chatStream',
    'a new field of a delta',
    event(undefined, at('choices.0.delta', set('annotations', []))),
    'new',
    'response.events[].choices[].delta.annotations',
  ],
  ['chatStream', 'no id', event(undefined, remove('id')), 'differs', 'response.events[].id'],
  ['chatStream', 'an index as text', event(undefined, at('choices.0', set('index', '0'))), 'differs', 'response.events[].choices[].index'],
  ['chatStream', 'no [DONE]', ({ text }) => ({ text: text.replace('data: [DONE]\n\n', '') }), 'differs', 'response.events'],
  ['chatStream', 'a line that is not JSON', inserted('data: hello\n\n'), 'differs', 'response.events[]'],
  [
    'chatToolStream',
    'arguments as an object',
    event(undefined, at('choices.0.delta.tool_calls.0.function', set('arguments', {}))),
    'differs',
    'response.events[].choices[].delta.tool_calls[].function.arguments',
  ],
  [
    'chatTool',
    'a call without id',
    body(at('choices.0.message.tool_calls.0', remove('id'))),
    'differs',
    'response.body.choices[].message.tool_calls[].id',
  ],
  ['messages', 'a new stop_reason', body(set('stop_reason', 'paused')), 'new', 'response.body.stop_reason'],
  ['messages', 'a new block', body(at('content', add({ type: 'container', id: 'x' }))), 'new', 'response.body.content[].type'],
  ['messages', 'no usage', body(remove('usage')), 'differs', 'response.body.usage'],
  ['messages', 'a new field of usage', body(at('usage', set('inference_geo', 'cn'))), 'new', 'response.body.usage.inference_geo'],
  ['messages', 'another type', body(set('type', 'completion')), 'new', 'response.body.type'],
  [
    'messagesStream',
    'a new event',
    inserted('event: content_block_note\ndata: {"type":"content_block_note","index":0}\n\n'),
    'new',
    'response.events(content_block_note).type',
  ],
  [
    'messagesStream',
    'a new delta',
    event('content_block_delta', at('delta', set('type', 'audio_delta'))),
    'new',
    'response.events(content_block_delta).delta.type',
  ],
  [
    'messagesStream',
    'no message_stop',
    ({ text }) => ({ text: text.replace(/event: message_stop\ndata: .*\n\n/, '') }),
    'differs',
    'response.events',
  ],
  [
    'messagesStream',
    'an event of another name',
    ({ text }) => ({ text: text.replace('event: message_start', 'event: message_begin') }),
    'differs',
    'response.events(message_start) event',
  ],
  [
    'messagesStream',
    'an index that is missing',
    event('content_block_delta', remove('index')),
    'differs',
    'response.events(content_block_delta).index',
  ],
  ['messagesTool', 'an input as text', body(at('content.@tool_use', set('input', '{}'))), 'differs', 'response.body.content[].input'],
  ['responses', 'a new status', body(set('status', 'paused')), 'new', 'response.body.status'],
  ['responses', 'a new item', body(at('output', add({ type: 'image_generation_call', id: 'x' }))), 'new', 'response.body.output[].type'],
  ['responses', 'no output', body(remove('output')), 'differs', 'response.body.output'],
  ['responses', 'a time as text', body(set('created_at', 'today')), 'differs', 'response.body.created_at'],
  [
    'responses',
    'a renamed field of usage',
    body(at('usage', rename('output_tokens', 'completion_tokens'))),
    'new',
    'response.body.usage.completion_tokens',
  ],
  [
    'responsesStream',
    'a new event',
    inserted('event: response.queued\ndata: {"type":"response.queued","sequence_number":0}\n\n'),
    'new',
    'response.events(response.queued).type',
  ],
  [
    'responsesStream',
    'no sequence_number',
    event('response.output_text.delta', remove('sequence_number')),
    'differs',
    'response.events(response.output_text.delta).sequence_number',
  ],
  ['responsesStream', 'no end', ({ text }) => ({ text: text.replace(/event: response\.completed[\s\S]*$/, '') }), 'differs', 'response.events'],
  [
    'responsesStream',
    'a delta as an object',
    event('response.output_text.delta', set('delta', { text: 'x' })),
    'differs',
    'response.events(response.output_text.delta).delta',
  ],
  ['responsesTool', 'a call without call_id', body(at('output.@function_call', remove('call_id'))), 'differs', 'response.body.output[].call_id'],
  ['models', 'a new model', body(at('data', add({ id: 'glm-0' }))), 'new', 'response model'],
  ['models', 'a new field', body(at('data.0', set('modalities', ['text']))), 'new', 'response.body.data[].modalities'],
  ['files', 'no list', body(remove('data')), 'differs', 'response.body.data'],
  ['quota', 'a new kind of limit', body(at('data.limits.0', set('type', 'CREDITS_LIMIT'))), 'new', 'response.body.data.limits[].type'],
];

describe('planted differences', () => {
  it.each(planted)('%s: %s', async (call, _what, change, kind, place) => {
    const findings = await found(await recordingOf(call, change));
    expect(findings.map((one) => [one.kind, one.place])).toContainEqual([kind, place]);
    // The difference alone, not the rest of the reply: a rename is one that is new and one that is missing.
    expect(findings.filter((one) => one.kind !== 'not reached').length).toBeLessThanOrEqual(3);
  });
});

describe('replies as they are', () => {
  // One that always thinks, one that can, one that cannot, and one that answers for another on a plan.
  it.each(['glm-5.3', 'glm-5.2', 'glm-4.6', 'glm-4-flash-250414'])('%s has no finding on any surface', async (model) => {
    for (const name of Object.keys(calls) as CallName[]) expect([name, await found(await recordingOf(name, undefined, model))]).toEqual([name, []]);
  });
});

describe('replies that do not reach the operation', () => {
  it.each<[string, Change, RegExp]>([
    ['an HTML page', () => ({ status: 200, headers: { 'content-type': 'text/html' }, text: '<html></html>' }), /HTML page with status 200/],
    ['a rate limit', refused(429, { code: '1302', message: 'x' }), /rate limit \(status 429, code 1302\)/],
    ['an empty balance', refused(429, { code: '1113', message: 'x' }), /no balance/],
    ['a wrong key', refused(401, { code: '1000', message: 'x' }), /does not accept the key/],
    ['an empty reply', status(200, ''), /empty reply/],
  ])('%s is not a difference', async (_what, change, why) => {
    for (const name of ['chat', 'messages', 'responses'] as const) {
      const isMessages = name === 'messages';
      const findings = await found(await recordingOf(name, change));
      expect(
        findings.map((one) => one.kind).filter((kind) => kind !== 'not reached'),
        name,
      ).toEqual(isMessages || name === 'responses' ? expect.anything() : []);
      expect(findings.at(-1)).toMatchObject({ kind: 'not reached', expected: expect.stringMatching(why) as string });
    }
  });
});
