/**
 * A tour of both surfaces: `npm run demo`.
 *
 * Without a key, it calls a local mock of the spec. With SVC_API_KEY set, it calls the live service. Live calls may be billed.
 */
import {
  AbortError,
  type Client,
  type Context,
  isModelsvcError,
  type Message,
  newClient,
  newClientFromEnv,
  newFunctionTool,
  newJSONSchemaFormat,
  responseInfo,
} from 'modelsvc';
import { type Mock, startMock } from '../test/support/prism.ts';

const live = process.env['SVC_API_KEY'] !== undefined;
const mock: Mock | undefined = live ? undefined : await startMock();
const c: Client = mock ? newClient({ apiKey: 'demo-key', endpoints: mock.url }) : newClientFromEnv();

/** Selects the example of the spec that the mock serves. The header is not sent to the live service. */
function example(name: string): Context {
  return mock ? { headers: { prefer: `example=${name}` } } : {};
}

async function show(title: string, run: () => Promise<void>): Promise<void> {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 68 - title.length))}`);
  try {
    await run();
  } catch (error) {
    if (!isModelsvcError(error) || error instanceof AbortError) throw error;
    console.log(`${error.name}: ${error.message}`);
  }
}

/** Reply text is a string, or on some vision models a list of parts. */
function textOf(content: string | null | undefined | readonly { readonly text?: string }[]): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
}

/** Prints thoughts in gray on separate lines, then the answer. */
function printer(): (kind: 'thought' | 'answer', text: string) => void {
  let last: string | undefined;
  return (kind, text) => {
    if (text === '') return;
    if (last !== undefined && last !== kind) process.stdout.write('\n');
    last = kind;
    process.stdout.write(kind === 'thought' ? grey(text) : text);
  };
}

function grey(text: string): string {
  return process.stdout.isTTY ? `\x1b[2m${text}\x1b[0m` : text;
}

console.log(mock ? `A mock of spec/openapi.yaml answers at ${mock.url}` : 'The live service answers: SVC_API_KEY is set');

await show('Chat', async () => {
  const reply = await c.chat().create(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'Write a haiku about rain.' }] });
  console.log(textOf(reply.choices[0]?.message.content));
  console.log(`  (${reply.usage?.total_tokens} tokens, ${reply.choices[0]?.finish_reason}, request ${responseInfo(reply)?.requestId})`);
});

await show('Stream', async () => {
  const stream = c.chat().stream(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'Write a haiku about rain.' }] });
  const print = printer();
  for await (const chunk of stream) {
    const delta = chunk.choices?.[0]?.delta;
    print('thought', delta?.reasoning_content ?? '');
    print('answer', textOf(delta?.content));
  }
  console.log();
});

await show('Structured output', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' }, country: { type: 'string' } }, required: ['city', 'country'] };
  const reply = await c.chat().create(example('jsonObject'), {
    model: 'glm-4.6',
    messages: [{ role: 'user', content: 'Where is the Louvre? Answer as JSON with city and country.' }],
    response_format: newJSONSchemaFormat('place', schema, true),
  });
  console.log(JSON.parse(textOf(reply.choices[0]?.message.content)));
});

await show('A tool round', async () => {
  const weather: Record<string, string> = { Paris: '21 °C and sunny', Lyon: '24 °C with thunder' };
  const messages: Message[] = [{ role: 'user', content: 'What is the weather in Paris and Lyon?' }];
  const tools = [
    newFunctionTool('get_weather', 'Current weather in a city', {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city' } },
      required: ['city'],
    }),
  ];
  const asked = await c.chat().create(example('toolCalls'), { model: 'glm-4.6', messages, tools });
  const answer = asked.choices[0]?.message;
  if (!answer?.tool_calls) return console.log('The model answered without the tool:', textOf(answer?.content));
  messages.push(answer as Message);
  for (const call of answer.tool_calls) {
    const { city } = JSON.parse(call.function?.arguments ?? '{}') as { city?: string };
    const result = weather[city ?? ''] ?? 'unknown';
    console.log(`  get_weather(${city}) → ${result}`);
    messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }
  const reply = await c.chat().create(example('toolAnswer'), { model: 'glm-4.6', messages, tools });
  console.log(textOf(reply.choices[0]?.message.content));
});

await show('Vision', async () => {
  const picture = 'https://upload.wikimedia.org/wikipedia/commons/thumb/1/15/Red_Apple.jpg/320px-Red_Apple.jpg';
  const reply = await c.chat().create(example('vision'), {
    model: 'glm-4.6v',
    messages: [{ role: 'user', content: 'What is in this picture?', images: [picture] }],
  });
  console.log(textOf(reply.choices[0]?.message.content));
});

await show('A job: create, then wait', async () => {
  const task = await c.chat().createAsync(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hello' }] });
  console.log(`  task ${task.id} is ${task.task_status}`);
  const result = await c.waitForResult(example('chat'), task.id, 500);
  console.log(textOf(result.choices?.[0]?.message.content));
});

await show('Message surface, with thinking', async () => {
  const reply = await c.anthropic().create(example('thinking'), {
    model: 'glm-4.7',
    max_tokens: 2048,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [{ role: 'user', content: 'Is 91 a prime number?' }],
  });
  if (reply.thinking() !== '') console.log(grey(reply.thinking()));
  console.log(reply.text());
});

await show('Message surface, streamed', async () => {
  const stream = c.anthropic().stream(example('thinking'), {
    model: 'glm-4.7',
    max_tokens: 2048,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [{ role: 'user', content: 'Is 91 a prime number?' }],
  });
  const print = printer();
  for await (const event of stream) {
    if (event.type !== 'content_block_delta') continue;
    const { delta } = event.data;
    if (delta.type === 'thinking_delta') print('thought', delta.thinking);
    if (delta.type === 'text_delta') print('answer', delta.text);
  }
  console.log();
});

await show('A failure as an error', async () => {
  const ctx = mock ? { headers: { prefer: 'code=429' } } : undefined;
  await c.chat().create(ctx, { model: mock ? 'glm-4.6' : 'no-such-model', messages: [{ role: 'user', content: 'Hello' }] });
});

await mock?.close();
