// Promises of the commands of all three surfaces: fields of the request, forms of the answer, and answers that are not a success.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerOf, type ChatResponse } from 'modelsvc';
import { type FakeRequest, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { textIn } from '../../support/both-ways.ts';
import { ends, newHome, prints, withFake } from '../support/in-process.ts';

const question = { role: 'user', content: 'Why?' };
const weather = { type: 'object', properties: { city: { type: 'string' } } };

const surfaces = [
  {
    command: 'chat',
    operation: 'chat.create',
    options: '--max-tokens 4000 --stop STOP --thinking on',
    fields: { messages: [{ role: 'system', content: 'Brief' }, question], max_tokens: 4000, stop: ['END', 'STOP'], thinking: { type: 'enabled' } },
    whole: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'a b' } }], usage: { prompt_tokens: 10 } },
    tool: { type: 'function', function: { name: 'weather', description: 'Weather', parameters: weather } },
    refused: /^modelsvc: finish reason sensitive: /,
  },
  {
    command: 'messages',
    operation: 'anthropic.create',
    options: '--max-tokens 4000 --thinking on',
    fields: { messages: [question], system: 'Brief', max_tokens: 4000, stop_sequences: ['END'], thinking: { type: 'enabled' } },
    whole: { type: 'message', content: [{ type: 'text', text: 'a b' }] },
    tool: { name: 'weather', description: 'Weather', input_schema: weather },
    refused: /^modelsvc: finish reason refusal: /,
  },
  {
    command: 'responses',
    operation: 'responses.create',
    options: '--max-tokens 4000 --effort low',
    fields: {
      input: [{ type: 'message', ...question }],
      instructions: 'Brief',
      max_output_tokens: 4000,
      stop: ['END'],
      // The fake is not a host of the vendor.
      reasoning: { effort: 'low' },
    },
    whole: { object: 'response', output: [{ type: 'message', content: [{ type: 'output_text', text: 'a b' }] }] },
    tool: { type: 'function', name: 'weather', description: 'Weather', parameters: weather },
    refused: /content check/,
  },
] as const;

const bodyOf = (request: FakeRequest | undefined): Readonly<Record<string, unknown>> => request?.body as Record<string, unknown>;

describe.each(surfaces)('$command', ({ command, operation, options, fields, whole, tool, refused }) => {
  it('streams the text, with reasoning and tokens on stderr, and options become fields of the request', async () => {
    const { fake, modelsvc } = await withFake();
    fake[command].reply({ reasoning: 'hm', text: 'Blue.' }).reply({ reasoning: 'hm', text: 'Blue.' });
    const common = '-m glm-4.6 -s Brief -t 0.5 --top-p 0.9 --stop END -u';
    expect(await modelsvc([command, 'Why?', ...`${common} ${options}`.split(' ')])).toEqual(
      prints('Blue.\n', 0, expect.stringMatching(/^hm\n\d+ tokens in, \d+ out, about \$0\.\d+\n$/)),
    );
    expect(bodyOf(fake.requests[0])).toEqual({ model: 'glm-4.6', temperature: 0.5, top_p: 0.9, stream: true, ...fields });
    expect(await modelsvc([command, 'hi', '-R'])).toEqual({ stdout: 'Blue.\n', stderr: '', code: 0 });
  });

  it('--json prints the reply, -o jsonl its pieces, and --no-stream asks without a stream', async () => {
    const { fake, modelsvc } = await withFake();
    fake[command].reply('a b').reply('a b').reply('a b');
    expect(JSON.parse((await modelsvc([command, 'hi', '--json'])).stdout)).toMatchObject(whole);
    const lines = (await modelsvc([command, 'hi', '-o', 'jsonl'])).stdout.trim().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(textIn(lines.map((line) => JSON.parse(line) as object))).toBe('a b');
    expect((await modelsvc([command, 'hi', '--no-stream'])).stdout).toBe('a b\n');
    expect(bodyOf(fake.requests.at(-1))).not.toHaveProperty('stream');
  });

  it('--tool declares tools, and prints their calls without running them', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'tool.json'), JSON.stringify({ name: 'weather', description: 'Weather', parameters: weather }));
    fake[command].toolCall('weather', { city: 'Köln' }, { text: 'I look.' });
    const { stdout, code } = await modelsvc([command, 'hi', '--tool', '@tool.json'], { cwd });
    expect({ stdout, code }).toEqual({ stdout: 'I look.\n{"name":"weather","arguments":{"city":"Köln"}}\n', code: 0 });
    expect(bodyOf(fake.requests[0])['tools']).toEqual([tool]);
  });

  it('a table of an answer is refused before a request', async () => {
    const { fake, modelsvc } = await withFake();
    for (const words of command === 'chat' ? [[command], [command, 'repl']] : [[command]]) {
      const { stderr, code } = await modelsvc([...words, '-o', 'table'], { stdin: 'hi' });
      expect({ stderr, code }).toEqual({ stderr: 'modelsvc: --output table: an answer is not a list\nUse text, json, jsonl or yaml.\n', code: 2 });
    }
    expect(fake.requests).toEqual([]);
  });

  it('a model that the service does not know', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, faults.error(400, '1211', 'Unknown Model, please check the model code.'));
    expect(await modelsvc([command, 'hi', '-m', 'glm-5.9', '--no-stream'])).toMatchObject(
      ends(1, /Check the name of the model.*\nSee the models of the key: `modelsvc models list`\.\n$/),
    );
  });

  const reply = { turn: { text: ['first ', 'second ', 'third'] } };

  it('a content block is exit code 6 with the text so far; the token limit is exit code 1', async () => {
    const { fake, modelsvc } = await withFake();
    fake[command].reply({ text: 'half', finish: command === 'messages' ? 'refusal' : 'sensitive' }).reply({ text: 'half', finish: 'length' });
    const blocked = await modelsvc([command, 'hi']);
    expect(blocked).toMatchObject({ stdout: 'half\n', code: 6, stderr: expect.stringMatching(refused) as string });
    expect(await modelsvc([command, 'hi'])).toEqual(prints('half\n', 1, 'modelsvc: the answer was cut off at the token limit; raise --max-tokens\n'));
  });

  // Output of --schema 'a int' and --schema {}; undefined for an answer that does not fit, which is printed as it came.
  const outcomes: readonly (readonly [name: string, text: string, byFields: string | undefined, byAny?: string | undefined])[] = [
    ['a value in a fence', '```json\n{ "a": 7,\n "b": [1, 2] }\n```', '{"a":7,"b":[1,2]}'],
    ['a trailing comma, and words around it', 'Here: {"a": 7,} Bye', '{"a":7}'],
    ['an integer of 19 digits', '{"a": 7, "id": 2512292042121000001}', '{"a":7,"id":"2512292042121000001"}'],
    ['a misfit', '{ "a": "x" }', undefined, '{"a":"x"}'],
    ['words', 'I do not know.', undefined, undefined],
  ];
  it.each(['a int', '{}'])('--schema %s prints what was checked', async (schema) => {
    const { fake, modelsvc } = await withFake();
    for (const [name, text, byFields, byAny = byFields] of outcomes) {
      const printed = schema === '{}' ? byAny : byFields;
      const code = printed === undefined ? 1 : 0;
      for (const way of [[], ['--no-stream'], ['-x']]) {
        fake[command].reply({ text: text.split(/(?<= )/) });
        const { stdout, code: ended } = await modelsvc([command, 'hi', '--schema', schema, ...way]);
        expect({ name, way, stdout, code: ended }).toEqual({ name, way, stdout: `${printed ?? text}\n`, code });
      }
      // The reply itself is not changed.
      fake[command].reply(text);
      const json = await modelsvc([command, 'hi', '--schema', schema, '--json']);
      const { response_format: format, text: texts } = bodyOf(fake.requests.at(-1)) as { response_format?: object; text?: { format: object } };
      expect(format ?? texts?.format).toEqual(command === 'messages' ? undefined : { type: 'json_object' });
      expect({ name, text: answerOf(JSON.parse(json.stdout) as ChatResponse).text, code: json.code }).toEqual({ name, text, code });
    }
  });

  it('--schema: an answer that was cut off is incomplete, also if it is JSON, and a broken one stays', async () => {
    const { fake, modelsvc } = await withFake();
    fake[command].reply({ text: '{ "a": 7 }', finish: 'length' });
    const cut = await modelsvc([command, 'hi', '--schema', 'a int']);
    expect(cut).toMatchObject({ stdout: '{ "a": 7 }\n', code: 1, stderr: expect.stringContaining('token limit') as string });
    fake.answer(operation, { ...faults.truncatedStream(), reply: { turn: { text: ['{ "a": ', '7', ' }'] } } });
    expect(await modelsvc([command, 'hi', '--schema', 'a int'])).toMatchObject({
      stdout: expect.stringMatching(/^\{ "a": .*\n$/) as string,
      code: 1,
    });
  });

  it('--schema: calls of tools are not an answer yet, and are printed', async () => {
    const { fake, modelsvc } = await withFake();
    fake[command].toolCall('weather', { city: 'Köln' });
    const { stdout, code } = await modelsvc([command, 'hi', '--schema', 'a int', '--tool', JSON.stringify({ name: 'weather', parameters: weather })]);
    expect({ stdout, code }).toEqual({ stdout: '{"name":"weather","arguments":{"city":"Köln"}}\n', code: 0 });
  });

  it('--schema: a note names the reason for the wait', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, { ...faults.slowHeaders(2500), reply: { turn: { text: '{"a":7}' } } });
    const { stdout, stderr } = await modelsvc([command, 'hi', '--schema', 'a int']);
    expect({ stdout, stderr }).toEqual({ stdout: '{"a":7}\n', stderr: 'The answer is printed once it is complete and checked.\n' });
  });

  it.each([
    ['a trailing comma', '{"city":"Köln","id":2512292042121000001,}', { city: 'Köln', id: '2512292042121000001' }],
    ['a code fence', '```json\n{"city":"Köln"}\n```', { city: 'Köln' }],
    ['cut off', '{"city":"Kö', undefined],
  ])('the arguments of a call as the library reads them, and a history that can be sent back: %s', async (_, text, value) => {
    const { fake, modelsvc } = await withFake();
    const env = { HOME: await newHome() };
    // A stream of messages with such an input ends with an error.
    for (const way of command === 'messages' ? [['--no-stream']] : [[], ['--no-stream']]) {
      const block = { type: 'tool_use', id: 'a', name: 'weather', input: text };
      if (command === 'messages') fake.answer(operation, { body: { type: 'message', role: 'assistant', content: [block], stop_reason: 'tool_use' } });
      else fake[command].toolCall('weather', text);
      const { stdout } = await modelsvc([command, 'hi', '--tool', JSON.stringify({ name: 'weather', parameters: weather }), ...way], { env });
      expect(JSON.parse(stdout)).toEqual({ name: 'weather', arguments: value ?? text });
      const file = join(env.HOME, '.state/modelsvc/conversations/last.json');
      const { messages } = JSON.parse(await readFile(file, 'utf8')) as { readonly messages: readonly object[] };
      const sent = JSON.stringify(messages.at(-1));
      expect(sent).toContain('weather');
      const back = /"(?:arguments|input)":("(?:[^"\\]|\\.)*"|\{[^}]*\})/.exec(sent)?.[1] ?? '';
      const form: unknown = JSON.parse(back);
      expect(() => (typeof form === 'string' ? JSON.parse(form) : form)).not.toThrow();
    }
  });

  it('with --json the error is JSON, and stdout has the response or is empty', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, { ...faults.truncatedStream(), reply });
    const cut = await modelsvc([command, 'hi', '--json']);
    expect({ stdout: cut.stdout, code: cut.code }).toEqual({ stdout: '', code: 1 });
    expect(JSON.parse(cut.stderr)).toMatchObject({ error: { kind: 'stream', exit_code: 1 } });
  });
});

describe('chat --surface', () => {
  it.each(['chat', 'messages', 'responses'] as const)('%s has the request and the output of its command, also by the setting', async (surface) => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    const options = { env: { HOME, XDG_CONFIG_HOME: join(HOME, '.config') } };
    fake[surface].reply('one').reply('one').reply('one').reply('two');
    const own = await modelsvc([surface, 'hi', '-u'], options);
    expect(await modelsvc(['chat', '--surface', surface, 'hi', '-u'], options)).toEqual(own);
    await modelsvc(['config', 'set', 'surface', surface], options);
    expect(await modelsvc(['chat', 'hi', '-u'], options)).toEqual(own);
    expect(new Set(fake.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    // A conversation keeps its own, unless another is typed.
    await modelsvc(['config', 'set', 'surface', surface === 'chat' ? 'messages' : 'chat'], options);
    expect(await modelsvc(['chat', '-c', 'on'], options)).toMatchObject({ stdout: 'two\n', code: 0 });
    const other = surface === 'chat' ? 'messages' : 'chat';
    expect(await modelsvc(['chat', '-c', 'on', '--surface', other], options)).toMatchObject({ code: 2 });
    if (surface !== 'chat') expect(await modelsvc(['chat', 'hi', '--surface', surface, '--async'], options)).toMatchObject({ code: 2, stdout: '' });
  });
});
