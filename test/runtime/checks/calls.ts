/** Checks of single calls: replies, failures, retries and limits. */
import { faults } from './faults.ts';
import { type Checks, chatRequest, drained, errorOf, key, messageRequest, same } from './world.ts';

const turn = { turn: { text: ['Grüße ', 'dir'] } };

export const callChecks: Checks = {
  async 'chat: create and stream'({ client, script, modelsvc }) {
    await script({ 'chat.create': [turn, turn] });
    const chat = client().chat();
    same('create', (await chat.create(undefined, chatRequest)).choices[0]?.message.content, 'Grüße dir');
    same('stream', (await drained(modelsvc.textDeltas(chat.stream(undefined, chatRequest)))).items, ['Grüße ', 'dir']);
  },
  async 'messages: create and stream'({ client, script, modelsvc }) {
    await script({ 'anthropic.create': [turn, turn] });
    const messages = client().anthropic();
    same('create', (await messages.create(undefined, messageRequest)).text(), 'Grüße dir');
    same('stream', (await drained(modelsvc.textDeltas(messages.stream(undefined, messageRequest)))).items, ['Grüße ', 'dir']);
  },
  async 'a stream that is cut off throws'({ client, script, modelsvc }) {
    await script({ 'chat.create': [faults.truncatedStream()], 'anthropic.create': [faults.truncatedStream('midFrame')] });
    const chat = await drained(client().chat().stream(undefined, chatRequest));
    const messages = await drained(client().anthropic().stream(undefined, messageRequest));
    same('items before the errors', [chat.items.length > 0, messages.items.length > 0], [true, true]);
    same('StreamError', [modelsvc.isModelsvcError(chat.error, 'stream'), modelsvc.isModelsvcError(messages.error, 'stream')], [true, true]);
  },
  async 'a silent stream ends by the idle limit'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [faults.silentAfterHeaders(2)] });
    const { items, error } = await drained(client({ streamIdleTimeout: 200 }).chat().stream(undefined, chatRequest));
    same('items', items.length, 2);
    same('limit of the TimeoutError', modelsvc.isModelsvcError(error, 'timeout') && error.timeoutMs, 200);
    same('outcomes', await outcomes(seen), ['left']);
  },
  async 'abort before a call and during a stream'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [faults.keepAliveOnly(5, 2)] });
    const chat = client().chat();
    same('before', modelsvc.isModelsvcError(await errorOf(chat.create(AbortSignal.abort(), chatRequest)), 'abort'), true);
    const controller = new AbortController();
    const stream = chat.stream(controller.signal, chatRequest);
    await stream.next();
    controller.abort();
    same('during', modelsvc.isModelsvcError(await errorOf(stream.next()), 'abort'), true);
    same('outcomes', await outcomes(seen), ['left']);
  },
  async 'a call without a response header is sent once'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [faults.silentBeforeHeaders()] });
    const error = await errorOf(client({ timeout: 300 }).chat().create(undefined, chatRequest));
    same('TimeoutError', [modelsvc.isModelsvcError(error, 'timeout'), (error as { attempts?: number }).attempts], [true, 1]);
    same('requests', (await seen()).length, 1);
  },
  async 'a 503 is retried'({ client, script, modelsvc, seen }) {
    await script({ 'chat.create': [...faults.serverErrors(2, 503), turn] });
    const reply = await client().chat().create(undefined, chatRequest);
    same('attempts', modelsvc.responseInfo(reply)?.attempts, 3);
    same('requests', (await seen()).length, 3);
  },
  async 'a 429 waits as Retry-After asks'({ client, script }) {
    await script({ 'chat.create': [faults.rateLimit({ ms: 30 }), turn] });
    const delays: (number | undefined)[] = [];
    const hook = { onRetry: (_meta: unknown, _error: unknown, delayMs: number | undefined) => void delays.push(delayMs) };
    await client({ hooks: [hook] })
      .chat()
      .create(undefined, chatRequest);
    // Plus a jitter.
    same(
      'delays',
      delays.map((ms = 0) => ms >= 30 && ms < 100),
      [true],
    );
  },
  async 'a failure inside a 200 is an ApiError'({ client, script, modelsvc }) {
    await script({ 'agents.invoke': [faults.embeddedFailure(undefined, '1211')], 'chat.create': [faults.inBandError('1211')] });
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
    const agent = await errorOf(client({ maxRetries: 0 }).agents().invoke(undefined, { agent_id: 'general_translation', messages }));
    const { error: chat } = await drained(client().chat().stream(undefined, chatRequest));
    same(
      'codes',
      [agent, chat].map((error) => modelsvc.isApiError(error) && error.code),
      ['1211', '1211'],
    );
  },
  async 'a page of HTML is an ApiError'({ client, script, modelsvc }) {
    await script({ 'chat.create': [faults.htmlErrorPage(502), faults.htmlErrorPage(200)] });
    const chat = client({ maxRetries: 0 }).chat();
    const errors = [await errorOf(chat.create(undefined, chatRequest)), await errorOf(chat.create(undefined, chatRequest))];
    same(
      'statuses',
      errors.map((error) => modelsvc.isApiError(error) && error.status),
      [502, 200],
    );
  },
  async 'validation before the network'({ client, script, modelsvc, seen }) {
    await script({});
    const error = await errorOf(
      client()
        .chat()
        .create(undefined, { ...chatRequest, model: '' }),
    );
    same('ValidationError', [modelsvc.isModelsvcError(error, 'validation'), error.message.includes('model')], [true, true]);
    same('requests', (await seen()).length, 0);
  },
  async 'an error has its cause and never the key'({ client, script, modelsvc, refused }) {
    await script({ 'chat.create': [faults.error(400, '1211', `bad key ${key}`)] });
    const connection = await errorOf(client({ endpoints: refused, maxRetries: 0 }).chat().create(undefined, chatRequest));
    same(
      'ConnectionError with a cause',
      [modelsvc.isModelsvcError(connection, 'connection', 'timeout'), connection.cause instanceof Error],
      [true, true],
    );
    const answered = await errorOf(client().chat().create(undefined, chatRequest));
    const shown = [connection, answered].map((error) => `${error} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).join('\n');
    same('the key', shown.includes(key), false);
  },
  async 'a redirect to another origin carries no key'({ client, script, elsewhere, control, modelsvc }) {
    await script({ 'files.list': [faults.redirect(`${control}/elsewhere`)], 'chat.create': [faults.redirect(`${control}/elsewhere`)] });
    const { error } = await drained(client({ maxRetries: 0 }).files().listAll(undefined, { purpose: 'batch' }));
    await errorOf(client({ maxRetries: 0 }).chat().create(undefined, chatRequest));
    const arrived = await elsewhere();
    same('requests with a body', arrived.filter(({ size }) => size > 0).length, 0);
    same('the key', JSON.stringify(arrived).includes(key), false);
    if (arrived.length > 0) same('the read is followed', error, undefined);
    // Browsers hide the target.
    else same('the read is refused', modelsvc.isApiError(error) && [error.retryable, error.message.includes('redirect refused')], [false, true]);
  },
  async 'the User-Agent is sent'({ client, script, seen, modelsvc }) {
    await script({ 'chat.create': [turn] });
    await client().chat().create(undefined, chatRequest);
    same('user-agent', (await seen())[0]?.headers['user-agent'], `modelsvc/${modelsvc.version}`);
  },
};

async function outcomes(seen: () => Promise<readonly { readonly outcome: string }[]>): Promise<string[]> {
  return (await seen()).map(({ outcome }) => outcome);
}
