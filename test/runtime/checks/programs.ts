/** Checks of programs of several calls: tools, files, pages, hooks, the gate, the end of a client. */
import { faults } from './faults.ts';
import { type Checks, chatRequest, drained, errorOf, messageRequest, same } from './world.ts';

const schema = { type: 'object' as const, properties: { a: { type: 'number' as const }, b: { type: 'number' as const } }, required: ['a', 'b'] };
const asks = { turn: { toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] } };
const answers = { turn: { text: 'It is 3.' } };

export const programChecks: Checks = {
  async 'a tool loop on both surfaces'({ client, script }) {
    await script({ 'chat.create': [asks, answers], 'anthropic.create': [asks, answers] });
    const calls: string[] = [];
    const run = (name: string, text: string): string => {
      calls.push(`${name} ${JSON.stringify(JSON.parse(text))}`);
      return '3';
    };
    const add = { name: 'add', description: 'Adds.' };
    const chatTools = [{ type: 'function' as const, function: { ...add, parameters: schema } }];
    const chat = await client()
      .chat()
      .runWithTools(undefined, { ...chatRequest, tools: chatTools }, run);
    const message = await client()
      .anthropic()
      .runWithTools(undefined, { ...messageRequest, tools: [{ ...add, input_schema: schema }] }, run);
    same('texts', [chat.choices[0]?.message.content, message.text()], ['It is 3.', 'It is 3.']);
    same('tool calls', calls, ['add {"a":1,"b":2}', 'add {"a":1,"b":2}']);
  },
  async 'a typed tool'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [{ turn: { toolCalls: [{ name: 'add', arguments: { a: 'one' } }] } }, asks, answers] });
    const inputs: unknown[] = [];
    const add = modelsvc.defineTool({
      name: 'add',
      description: 'Adds.',
      input: schema,
      run: (input) => {
        inputs.push(input);
        return '3';
      },
    });
    await client().chat().runWithTools(undefined, chatRequest, [add]);
    same('valid inputs', inputs, [{ a: 1, b: 2 }]);
    same('requests', (await seen()).length, 3);
  },
  async 'structured output'({ client, script, modelsvc }) {
    await script({ 'chat.create': [{ turn: { text: '```json\n{"a":1,"b":2}\n```' } }, { turn: { text: '{"a":"one"}' } }] });
    const format = modelsvc.outputFormat(schema, { name: 'pair' });
    const ask = () =>
      client()
        .chat()
        .create(undefined, { ...chatRequest, response_format: format });
    same('value', await format.parse(await ask()), { a: 1, b: 2 });
    same('OutputError', modelsvc.isModelsvcError(await errorOf(format.parse(await ask())), 'output'), true);
  },
  async 'upload of a Blob'({ client, script, seen }) {
    await script({});
    const size = 300_000;
    const file = await client()
      .files()
      .upload(undefined, { file: new Blob([new Uint8Array(size)]), purpose: 'agent', filename: 'a.txt' });
    const [request] = await seen();
    const { 'content-length': length, 'transfer-encoding': encoding } = request?.headers ?? {};
    same('id', typeof file.id, 'string');
    same('size', [(request?.size ?? 0) > size, length === String(request?.size) || encoding === 'chunked'], [true, true]);
  },
  async 'download of bytes'({ client, script }) {
    await script({ 'files.content': [{ body: 'Grüße'.repeat(50_000) }] });
    const bytes = await (await client().files().content(undefined, 'file-1')).bytes();
    same('bytes', bytes.length, 350_000);
  },
  async 'embeddings and quota'({ client, script, seen }) {
    await script({});
    const { data } = await client().embeddings().create(undefined, { model: 'embedding-3', input: 'hi' });
    const { limits } = await client().quota().getLimit(undefined);
    same('vectors and limits', [data.length > 0, limits.length > 0], [true, true]);
    same(
      'operations',
      (await seen()).map(({ operation }) => operation),
      ['embeddings.create', 'quota.getLimit'],
    );
  },
  async 'a list of files, page by page'({ client, script }) {
    const page = (id: string, more: boolean) => ({ body: { object: 'list', data: [{ id, object: 'file' }], has_more: more } });
    await script({ 'files.list': [page('f1', true), page('f2', false)] });
    const { items, error } = await drained(client().files().listAll(undefined, { purpose: 'batch' }));
    same('ids', [items.map(({ id }) => id), error], [['f1', 'f2'], undefined]);
  },
  async bindings({ client, script }) {
    await script({ '*': [...faults.serverErrors(1)] });
    const { data, response } = await client().bindings('chat').GET('/models');
    same('status and models', [response.status, (data?.data.length ?? 0) > 0], [200, true]);
  },
  async 'hooks end each operation once'({ client, script }) {
    await script({ 'chat.create': [answers, faults.error(400, '1211'), faults.keepAliveOnly(5, 2)] });
    const started: string[] = [];
    const ended: string[] = [];
    const hook = {
      onStart: ({ id }: { id: string }) => void started.push(id),
      onEnd: ({ id }: { id: string }, { kind }: { kind: string }) => void ended.push(`${started.indexOf(id)} ${kind}`),
    };
    const chat = client({ hooks: [hook] }).chat();
    await chat.create(undefined, chatRequest);
    await errorOf(chat.create(undefined, chatRequest));
    await errorOf(chat.create(undefined, { ...chatRequest, model: '' }));
    for await (const _ of chat.stream(undefined, chatRequest)) break;
    same('ends', ended, ['0 ok', '1 error', '2 error', '3 cancelled']);
  },
  async 'the concurrency gate'({ client, script }) {
    const slow = { ...faults.slowHeaders(10), reply: answers };
    await script({ 'chat.create': [slow, slow, slow, slow, slow, slow] });
    let running = 0;
    let most = 0;
    const hook = {
      onRequest: () => {
        running += 1;
        most = Math.max(most, running);
      },
      onResponse: () => void (running -= 1),
    };
    const chat = client({ hooks: [hook], concurrency: 2 }).chat();
    await Promise.all(Array.from({ length: 6 }, () => chat.create(undefined, chatRequest)));
    same('calls at once', most, 2);
  },
  async 'close() ends the calls in flight'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [faults.keepAliveOnly(5, 2)] });
    const closing = client();
    const stream = closing.chat().stream(undefined, chatRequest);
    await stream.next();
    closing.close();
    same('AbortError', modelsvc.isModelsvcError((await drained(stream)).error, 'abort'), true);
    same('ConfigError', modelsvc.isModelsvcError(await errorOf(closing.chat().create(undefined, chatRequest)), 'config'), true);
    same(
      'outcomes',
      (await seen()).map(({ outcome }) => outcome),
      ['left'],
    );
  },
};
