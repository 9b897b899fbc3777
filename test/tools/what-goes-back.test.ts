// Ids, names and texts that go back to a model can be sent, on each surface and in each way.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, defineTool, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { replyBody, sentBack, type Turn, ways } from './ways-back.ts';

const long = 'x'.repeat(80);

describe.each(surfaces)('$surface', (driver) => {
  const { surface } = driver;
  describe.each(Object.entries(ways))('%s', (way, perform) => {
    const isLoop = !way.startsWith('by hand');

    test.each<[string, string[]]>([
      ['two equal ids', ['a', 'a']],
      ['three', ['a', 'b', 'a', 'a']],
      ['blank ids', ['', ' ', '']],
      ['an id like a made one', ['call_1_2', '']],
      ['a made one that comes later', ['', 'call_1_1', 'call_1_1']],
    ])('%s: each call has an id of its own, the same everywhere', async (_kind, ids) => {
      const { calls, results, shown } = await perform(driver, { calls: ids.map((id) => ({ id, name: 'f' })) });
      const sent = calls.map(({ id }) => id);
      expect(new Set(sent).size).toBe(ids.length);
      expect(sent.every((id) => id.trim() !== '')).toBe(true);
      // The first that has an id keeps it, and the others do not depend on chance.
      for (const [index, id] of ids.entries()) if (id.trim() !== '' && ids.indexOf(id) === index && !/^call/.test(id)) expect(sent[index]).toBe(id);
      expect((await perform(driver, { calls: ids.map((id) => ({ id, name: 'f' })) })).calls).toEqual(calls);
      if (isLoop) expect(results.map(([id]) => id)).toEqual(sent);
      for (const told of shown) expect(told.map(({ id }) => id).sort()).toEqual([...sent].sort());
    });

    test.each(['', ' ', 'list files', 'functions.read', long, 'größe', 'f</arg_value>'])('the name %j goes back as one that fits', async (name) => {
      const { calls, results, shown } = await perform(driver, { calls: [{ id: 'a', name }] });
      expect(calls[0]?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(calls[0]?.name).not.toBe('f');
      expect(shown[0]).toEqual([{ id: 'a', name }]);
      if (isLoop) expect(results[0]?.[1]).toContain(name === '' ? '""' : name);
    });

    test('a name that fits stays, also of a tool that is not there', async () => {
      expect((await perform(driver, { calls: [{ id: 'a', name: 'ghost' }] })).calls).toEqual([{ id: 'a', name: 'ghost' }]);
    });

    test.each(['', ' \n'])('the blank text %j next to a call is left out, where it is a part', async (text) => {
      const { texts, reply } = await perform(driver, { text, calls: [{ id: 'a', name: 'f' }] });
      expect(texts).toEqual(surface === 'chat' ? [text] : []);
      expect(JSON.stringify(reply)).toContain(JSON.stringify(text));
    });

    test.each<[string, Turn]>([
      ['a blank text', { text: '\n' }],
      ['thought and a blank text', { text: '', thought: 'so' }],
      ['thought alone', { thought: 'so' }],
    ])('%s goes back as a text', async (_kind, turn) => {
      expect((await perform(driver, turn)).texts).toEqual(['(no text)']);
    });

    test('a text goes back as it came', async () => {
      expect((await perform(driver, { text: ' so \n', thought: 'x' })).texts).toEqual([' so \n']);
    });

    if (isLoop)
      test.each(['', ' \n'])('the blank result %j goes back as a text', async (result) => {
        expect((await perform(driver, { calls: [{ id: 'a', name: 'f' }] }, result)).results).toEqual([['a', '(no output)']]);
      });
  });

  test('a blank replacement of a round is a text too', async () => {
    const { fake } = await openFake({}, { validate: false });
    fake.answer(driver.operation, { body: replyBody(surface, { calls: [{ id: 'a', name: 'f' }] }) }, { turn: { text: 'ok' } });
    const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => expect.unreachable() });
    const options = { onRound: () => [{ replace: ' ' }] };
    await driver.service(newClient(fake.configFor())).runWithTools(undefined, driver.request('hi'), [tool] as never, options as never);
    expect(sentBack(surface, fake.requests[1]?.body).results).toEqual([['a', '(no output)']]);
  });

  test('a name is made different from every declared name', async () => {
    const { fake } = await openFake({}, { validate: false });
    const names = ['unknown_tool', 'unknown_tool_2'];
    fake.answer(driver.operation, { body: replyBody(surface, { calls: [{ id: 'a', name: 'list files' }] }) }, { turn: { text: 'ok' } });
    const tools = names.map((name) => defineTool({ name, input: { type: 'object' }, run: () => expect.unreachable() }));
    await driver.service(newClient(fake.configFor())).runWithTools(undefined, driver.request('hi'), tools as never);
    expect(sentBack(surface, fake.requests[1]?.body).calls).toEqual([{ id: 'a', name: 'unknown_tool_3' }]);
  });

  test('any ids and names: they can be sent, and the reply is not touched', () => {
    const calls = fc.array(
      fc.record({ id: fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom('call_1_1', 'call_1_2')), name: fc.string({ maxLength: 90 }) }),
    );
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), calls, (text, asked) => {
        const reply = replyBody(surface, { ...(text !== undefined && { text }), calls: asked });
        const before = JSON.stringify(reply);
        const answer = answerOf(reply as never);
        const sent = sentBack(surface, { [surface === 'responses' ? 'input' : 'messages']: [{}, ...answer.history] });
        expect(new Set(sent.calls.map(({ id }) => id)).size).toBe(asked.length);
        for (const { name } of sent.calls) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(answer.calls.map(({ id }) => id)).toEqual(sent.calls.map(({ id }) => id));
        if (asked.length === 0 || surface !== 'chat') for (const one of sent.texts) expect(String(one).trim()).not.toBe('');
        expect(JSON.stringify(reply)).toBe(before);
      }),
    );
  });

  describe('a blank text of a user', () => {
    const type = surface === 'responses' ? 'input_text' : 'text';
    const image = {
      chat: { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      messages: { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      responses: { type: 'input_image', image_url: 'https://example.com/a.png' },
    }[surface];
    const field = surface === 'responses' ? 'input' : 'messages';
    const asked = (content: unknown): never =>
      driver.request('', { [field]: [{ ...(surface === 'responses' && { type: 'message' }), role: 'user', content }] });

    test.each<[string, unknown, string]>([
      ['a text', ' \n', 'content'],
      ['a part', [{ type, text: ' ' }], 'content[0].text'],
      [
        'two parts',
        [
          { type, text: '\t' },
          { type, text: ' ' },
        ],
        'content[0].text',
      ],
    ])('%s: refused before the network at the service, and sent elsewhere', async (_form, content, path) => {
      const { fake } = await openFake({}, { validate: false });
      for (const ask of ['create', 'stream', 'loop'] as const) {
        const service = driver.service(newClient(fake.configFor()));
        const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => '' });
        const call = {
          create: () => service.create(undefined, asked(content)),
          stream: () => service.stream(undefined, asked(content)).next(),
          loop: () => service.runWithTools(undefined, asked(content), [tool] as never),
        }[ask]();
        const error = await failure(call as Promise<unknown>);
        expect(isModelsvcError(error, 'validation') && error.path).toBe(`${field}[0].${path}`);
      }
      expect(fake.requests).toHaveLength(0);
      fake.answer(driver.operation, { turn: { text: 'ok' } });
      await driver.service(newClient(fake.configFor({ serviceRules: false }))).create(undefined, asked(content));
      expect(fake.requests[0]?.body).toMatchObject({ [field]: [{ content }] });
    });

    test('next to another part it is sent', async () => {
      const { fake } = await openFake({}, { validate: false });
      fake.answer(driver.operation, { turn: { text: 'ok' } });
      await driver.service(newClient(fake.configFor())).create(undefined, asked([{ type, text: ' ' }, image]));
      expect(fake.requests).toHaveLength(1);
    });
  });
});

test('a blank input of Responses', async () => {
  const { client, fake } = await openFake({}, { validate: false });
  const error = await failure(client.responses().createSimple(undefined, 'glm-5.2', ' '));
  expect(isModelsvcError(error, 'validation') && error.path).toBe('input');
  expect(fake.requests).toHaveLength(0);
});
