import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import * as names from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { Editor, editorsOf } from '../support/editor.ts';

/** A user's program against the built package. */
const program = `
import { type AnthropicMessageRequest, type ChatRequest, type Config, type Context, defineTool, isApiError, newClient, outputFormat, responseInfo, toolRun } from 'modelsvc';
import type { TranscriptionRequest } from 'modelsvc/types';
export const config: Config = { apiKey: 'key' };
export const client = newClient(config);
const ctx: Context = { timeout: 5 };
const request: ChatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const sent = request.messages[0]!;
const effort = request.effort;
const declared = request.tools?.[0];
const chat = client.chat();
export const reply = await client.chat().create(undefined, request);
const usage = reply.usage;
const choice = reply.choices[0]!;
const message = choice.message;
const content = message.content;
const finishReason = choice.finish_reason;
const asked = message.tool_calls![0]!;
export const stream = client.chat().stream(ctx, request);
for await (const chunk of stream) {
  const delta = chunk.choices[0]!.delta;
  const piece = delta.content;
  void [piece];
}
const messageRequest: AnthropicMessageRequest = { model: 'glm-4.6', messages: [], max_tokens: 64 };
const turn = messageRequest.messages[0]!;
export const anthropicReply = await client.anthropic().create(undefined, messageRequest);
const block = anthropicReply.content[0]!;
if (block.type === 'tool_use') { const call = block; void call; }
const stopReason = anthropicReply.stop_reason;
const messageStream = client.anthropic().stream(undefined, messageRequest);
for await (const event of messageStream) {
  if (event.type === 'content_block_delta') { const data = event.data; void data; }
}
export const tool = defineTool({ name: 'f', description: 'F.', input: { type: 'object' }, run: () => '' });
const wireTool = tool.as('chat');
const wireMessageTool = tool.as('messages');
const toolStream = client.chat().streamWithTools(undefined, request, [tool]);
const run = toolRun(reply);
const format = outputFormat({ type: 'object' });
const parsed = await format.parse(reply);
const embeddings = await client.embeddings().create(undefined, { model: 'embedding-3', input: 'hi' });
const catalogue = await client.models().list(undefined);
const model = catalogue.data[0]!;
const file = await client.files().upload(undefined, { file: new Blob(), purpose: 'batch' });
const batch = await client.batch().create(undefined, { input_file_id: 'id', endpoint: '/v4/chat/completions' });
const task = await client.chat().createAsync(undefined, request);
const result = await client.waitForResult(undefined, task.id);
const image = await client.images().generate(undefined, { model: 'cogview-4', prompt: 'a' });
const speech = await client.audio().speech(undefined, { model: 'glm-tts', input: 'hi', voice: 'tongtong' });
const clip: TranscriptionRequest = { model: 'glm-asr-2512', file: new Blob() };
const voices = await client.voice().list(undefined);
const limits = await client.quota().getLimit(undefined);
const bindings = client.bindings('chat');
const info = responseInfo(reply);
const translation = info?.effort;
try { void 0; } catch (error) {
  if (isApiError(error)) { const failure = error; const category = error.category; void [failure, category]; }
}
`;

const constants = [...program.matchAll(/const (\w+)/g)].map((match) => match[1] ?? '');
const usesOfFaults = Object.keys(faults).map((name) => `faults.${name};`);
const usesOfNames = Object.keys(names).map((name) => `names.${name};`);
let editor: Editor;
let ofFaults: Editor;
let ofNames: Editor;
beforeAll(() => {
  const others = [
    `import { faults } from 'modelsvc/testing';\n${usesOfFaults.join('\n')}`,
    `import * as names from 'modelsvc';\n${usesOfNames.join('\n')}`,
  ];
  [editor, ofFaults, ofNames] = editorsOf([program, ...others]) as [Editor, Editor, Editor];
});

describe('an editor', () => {
  it('finds no error in the program', () => expect(editor.errors()).toEqual([]));

  it('shows the names of types over the expressions that people use', () => {
    const listing = constants.map((name) => editor.hover(`const ${name}`)).join('\n');
    expect(listing).not.toMatch(/\w\$\d|components\[|operations\[|\{ \.\.\.|any\b/);
    expect(listing).toMatchSnapshot();
  });

  it('shows the names of types over methods', () => {
    const methods = ['client.chat().create', 'client.anthropic().create', 'client.chat().stream', 'client.models', 'responseInfo'];
    const listing = methods.map((text) => editor.hover(text)).join('\n');
    expect(listing).not.toMatch(/\w\$\d|components\[|operations\[/);
    expect(listing).toMatchSnapshot();
  });

  it('shows the doc comment of a field', () => {
    expect(editor.comment('reply.usage')).toEqual({ text: 'Token counts.', tags: [] });
    expect(editor.comment('request.effort').text).toMatch(/^How deep the model thinks\. .* Default: `max` from glm-5\.2 on, the most expensive\./s);
  });
});

it('an editor shows the doc comment of each fault', () => {
  const comment = (use: string): string => ofFaults.comment(use.slice(0, -1)).text;
  expect(usesOfFaults.filter((use) => comment(use) === '')).toEqual([]);
  expect(comment('faults.missingDone;')).toBe('Leave out `[DONE]`, or `message_stop`.');
});

it('an editor shows the doc comment of each function, class and constant', () => {
  expect(usesOfNames.filter((use) => ofNames.comment(use.slice(0, -1)).text === '')).toEqual([]);
});

it('an editor shows both forms of each method, with the text of ctx', () => {
  const open = (uses: readonly string[], behind: string): Editor =>
    new Editor(`import { newClient } from 'modelsvc';\nconst client = newClient({ apiKey: 'key' });\n${uses.map((use) => use + behind).join('\n')}`);
  const members = open(['client.'], ';').completions('client.');
  const services = members.map((member) => `client.${member}().`);
  const methods = open(services, ';');
  const calls = [
    ...members.map((member) => `client.${member}(`),
    ...services.flatMap((of) => methods.completions(of).map((name) => `${of}${name}(`)),
  ];
  const opened = open(calls, ');');
  const withContext = calls.filter((call) => opened.forms(call).at(-1)?.parameters[0]?.startsWith('ctx'));
  expect(withContext.length).toBeGreaterThan(70);
  const text = expect.stringMatching(/^A Context such as .*, an AbortSignal, or undefined\. It may be left out\.$/);
  for (const call of withContext) {
    const [short, long = short, ...more] = opened.forms(call);
    const named = (all: readonly string[] = []): string[] => all.map((one) => one.replace(/: .*/, ''));
    expect([call, more, long?.parameterComments[0]]).toEqual([call, [], text]);
    // One comment in the source is for both forms.
    expect([call, long?.comment]).toEqual([call, expect.stringMatching(/./)]);
    expect([call, short?.comment]).toEqual([call, long?.comment]);
    // A method of a context alone has one form, others have the one without it first.
    const [ctx, ...others] = long?.parameters ?? [];
    expect([call, named(short?.parameters)]).toEqual([call, long === short ? ['ctx?'] : named(others)]);
    expect(ctx).toMatch(/^ctx\??: CallContext$/);
  }
});

it('no declaration has a doc comment after another member', async () => {
  const folder = fileURLToPath(new URL('../../dist', import.meta.url));
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(5);
  for (const name of files) expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/\S +\/\*\*/);
});

it('emitted declarations name the types', () => {
  expect(editor.declarations()).toMatchInlineSnapshot(`
    "import { type Config } from 'modelsvc';
    export declare const config: Config;
    export declare const client: import("modelsvc").Client;
    export declare const reply: import("modelsvc/types").Received<import("modelsvc").ChatResponse>;
    export declare const stream: import("modelsvc").EventStream<import("modelsvc").ChatChunk>;
    export declare const anthropicReply: import("modelsvc/types").Received<import("modelsvc").AnthropicReply>;
    export declare const tool: import("modelsvc").TypedTool<Record<string, unknown>, "f">;
    "
  `);
});

describe('at `create(`', () => {
  /** The text before the cursor, and the text after it. */
  const places = [
    ['client.chat().create(', ''],
    ['client.anthropic().create(', ''],
    ['client.chat().create({ ', "}, { model: 'm', messages: [] })"],
    ['client.chat().create(undefined, { ', '})'],
    ["client.chat().create(undefined, { model: 'm', maxTokens: 5, ", '})'],
    ["client.chat().create(undefined, { effort: '", "' })"],
    ["client.chat().create(undefined, { model: '", "' })"],
    ['client.chat().create({ ', '})'],
    ["client.chat().create({ model: '", "' })"],
  ] as const;
  let editors: Editor[];
  beforeAll(() => {
    const start = "import { newClient } from 'modelsvc';\nconst client = newClient({ apiKey: 'key' });\n";
    editors = editorsOf(places.map(([before, behind]) => `${start}${before}${behind}`));
  });
  const offeredAt = (place: number): string[] => editors[place]?.completions(places[place]?.[0] ?? '') ?? [];

  it.each([
    ['chat', 0],
    ['anthropic', 1],
  ])('of %s, an editor shows the request, then ctx and the request', (_service, place) => {
    expect(editors[place]?.forms(places[place]?.[0] ?? '').map(({ parameters }) => parameters)).toMatchSnapshot();
  });

  it('an editor offers the fields of a Context inside the first of two braces', () => {
    const fields = [
      'headers',
      'maxRetries',
      'model',
      'priority',
      'queueTimeout',
      'rawBody',
      'retryFor',
      'service',
      'signal',
      'timeout',
      'wholeReplies',
    ];
    // The last belongs to AbortSignal, the other form of ctx.
    expect(offeredAt(2)).toEqual([...fields, 'throwIfAborted']);
  });

  it('an editor offers the fields of a request inside the second of two, and the known models', () => {
    expect(offeredAt(3)).toEqual(expect.arrayContaining(['model', 'messages', 'temperature', 'tools']));
    expect([...offeredAt(3), ...offeredAt(4)].filter((name) => /maxTokens|max_token$|temprature|modle/.test(name))).toEqual([]);
    expect(offeredAt(5).sort()).toEqual(['high', 'low', 'max', 'medium', 'off']);
    expect(offeredAt(6)).toEqual(expect.arrayContaining(['glm-4.6', 'glm-4.7']));
  });

  it('an editor offers the fields of a request inside the only braces', () => {
    expect(offeredAt(7)).toEqual(expect.arrayContaining(['model', 'messages', 'temperature', 'tools']));
    expect(offeredAt(8)).toEqual(expect.arrayContaining(['glm-4.6', 'glm-4.7']));
  });
});
