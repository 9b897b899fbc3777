import { beforeAll, describe, expect, it } from 'vitest';
import { type Editor, editorsOf, loose, strict } from '../support/editor.ts';
import { programs, start } from './accepted.ts';

const slipStart = `
import { Client, defineTool, newClient, outputFormat, textDeltas, toReadableStream, type ChatRequest } from 'modelsvc';
const client = newClient({ apiKey: 'key' });
const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const later = Promise.resolve(request);
const tool = defineTool({ name: 'f', description: 'F.', input: { type: 'object' }, run: () => '' });
const format = outputFormat({ type: 'object' });
`;

const misplaced = /not assignable to type '"pass \{ timeout \} as the first argument"'/;

/** Slips, and the words of the compiler that show what to write. */
const slips: readonly (readonly [slip: string, words: RegExp])[] = [
  ['client.chat().create();', /Expected 1-2 arguments, but got 0/],
  ['client.chat().create(request, {}, {});', /Expected 1-2 arguments, but got 3/],
  ['client.chat().create({ timeout: 5 });', misplaced],
  ['client.chat().create({ messages: [] });', /Property 'model' is missing/],
  ["client.chat().create({ model: 'm' });", /Property 'messages' is missing/],
  ['client.chat().create({ ...request, maxTokens: 1 });', /not assignable to type '"did you mean max_tokens\?"'/],
  ...[
    'signal: AbortSignal.abort()',
    'timeout: 5',
    'maxRetries: 0',
    'retryFor: 5',
    'headers: {}',
    'queueTimeout: 5',
    'rawBody: true',
    'wholeReplies: true',
  ].flatMap((option) =>
    ['client.chat().create({ ...request, OPTION });', "client.files().upload(undefined, { file: new Blob(), purpose: 'batch', OPTION });"].map(
      (call): readonly [string, RegExp] => [
        call.replace('OPTION', option),
        new RegExp(`not assignable to type '"pass \\{ ${option.replace(/:.*/, '')} \\} as the first argument"'`),
      ],
    ),
  ),
  ["client.files().list({ purpose: 'batch', signal: AbortSignal.abort() });", /'signal' does not exist in type/],
  ['client.chat().create(request, { timeout: 5 });', misplaced],
  ['client.chat().create(later);', /Did you forget to use 'await'/],
  ["client.batch().retrieve('id', AbortSignal.abort());", /not assignable to parameter of type/],
  ["client.batch().wait('id', AbortSignal.abort());", /No overload matches this call/],
  ['client.files().list({ limit: 5 });', /Property 'purpose' is missing/],
  ["client.videos().generate({ model: 'cogvideox-3', promt: 'a' });", /"did you mean prompt\?"/],
  [
    "client.chat().createSimple('glm-5.3', 'hi', AbortSignal.abort());",
    /No overload matches this call[\s\S]*'AbortSignal' has no properties in common with type/,
  ],
  ["client.chat().createSimple('glm-5.3', 'hi', { effort: 'low', timeout: 5 });", /'timeout' does not exist in type/],
  ["client.responses().createSimple('glm-5.3', 'hi', { effort: 'lo' });", /'"lo"' is not assignable to type/],
  ['client.chat().runWithTools(request, [tool], {}, AbortSignal.abort());', /not assignable to parameter of type/],
  ["client.chat().create({ model: 'm', messages: [] }, {});", /'messages' does not exist in type 'Context \| AbortSignal/],
  ["client.embeddings().create({ model: 'm', input: 'a' }, undefined);", /'input' does not exist in type 'Context \| AbortSignal/],
  ["new Client({ apiKey: 'key' });", /not assignable to parameter of type 'Settings'|does not exist in type 'Settings'/],
  ["defineTool({ name: 'f', description: 'F.', parameters: {}, run: () => '' });", /'parameters' does not exist in type 'ToolDefinition/],
  [
    'client.chat().create(undefined, { ...request, tools: [tool] });',
    /'TypedTool<Record<string, unknown>, "f">' is not assignable to type 'Tool \| CustomTool'/,
  ],
  ['client.chat().create(undefined, { ...request, stream: true });', /Type 'true' is not assignable to type 'false/],
  ['client.anthropic().create(undefined, { ...request, max_tokens: 1, stream: true });', /Type 'true' is not assignable to type 'false/],
  ['client.chat().create(undefined, later);', /Did you forget to use 'await'/],
  ["format.parse('{}').city;", /'city' does not exist on type 'Promise</],
  ['client.chat.create(undefined, request);', /Property 'create' does not exist on type '\(\) => Chat'/],
  ['client.chat().create(undefined, { ...request, temperature: "1" });', /Type 'string' is not assignable to type 'number'/],
  ['new Response(toReadableStream(client.chat().stream(undefined, request)));', /'ItemStream<.*>' is not assignable to parameter of type/],
  ['new Response(toReadableStream(textDeltas(client.chat().stream(undefined, request))));', /'ItemStream<string>' is not assignable to parameter/],
  ["client.chat().create(undefined, { model: 'm' });", /Property 'messages' is missing/],
  ['client.chat().create(undefined, { ...request, temprature: 1 });', /not assignable to type '"did you mean temperature\?"'/],
  ['client.chat().create(undefined, { ...request, maxTokens: 1 });', /not assignable to type '"did you mean max_tokens\?"'/],
  ['client.chat().stream(undefined, { ...request, max_token: 1 });', /not assignable to type '"did you mean max_tokens\?"'/],
  ['client.chat().createAsync(undefined, { ...request, toolChocie: 1, tool_chocie: 1 });', /not assignable to type '"did you mean tool_choice\?"'/],
  ['client.chat().create(undefined, { ...request, streamToolCall: true });', /not assignable to type '"did you mean stream_tool_call\?"'/],
  ['client.anthropic().create(undefined, { ...request, max_tokens: 1, stopSequences: [] });', /"did you mean stop_sequences\?"'/],
  ["client.responses().create(undefined, { model: 'm', input: 'a', maxOutputTokens: 1 });", /"did you mean max_output_tokens\?"'/],
  ['client.chat().runWithTools(undefined, { ...request, maxTokens: 1 }, [tool]);', /not assignable to type '"did you mean max_tokens\?"'/],
  ['client.anthropic().streamWithTools(undefined, { ...request, max_tokens: 1, stopSequences: [] }, [tool]);', /"did you mean stop_sequences\?"'/],
  ["client.embeddings().create(undefined, { model: 'm', input: 'a', dimension: 1 });", /"did you mean dimensions\?"'/],
  ["client.rerank().create(undefined, { model: 'm', query: 'a', documents: ['a'], topN: 1 });", /"did you mean top_n\?"'/],
  [
    '({ ...request, temprature: 1 }) satisfies ChatRequest;',
    /'temprature' does not exist in type 'ChatRequest'. Did you mean|Did you mean to write 'temperature'/,
  ],
];

const accepted = Object.values(programs).map((program) => `${start}${program}`);

describe.each([
  ['strict, with exact optional properties', strict, slips],
  ['the defaults of the compiler', loose, []],
])('the compiler with %s', (_options, options, wrong) => {
  let editors: Editor[];
  beforeAll(() => {
    editors = editorsOf([...accepted, ...wrong.map(([slip]) => `${slipStart}${slip}`)], options);
  });

  it.each(Object.keys(programs).map((name, index) => [name, index] as const))('accepts %s', (_name, index) => {
    expect(editors[index]?.errors()).toEqual([]);
  });

  it('accepts the declarations of the package, which it checks', () => {
    expect(editors[0]?.packageErrors()).toEqual([]);
  });

  it.each(wrong.map(([slip, words], index) => [slip, words, index] as const))('refuses %s', (_slip, words, index) => {
    expect(editors[accepted.length + index]?.errors()).toEqual([expect.stringMatching(words)]);
  });
});
