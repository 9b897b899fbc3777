// A bundle is for other readers: it has every event and field of each stream, and no text of a user or a model.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { examples, requests } from '../../../src/generated/examples.ts';
import { allRoutes } from '../../../src/generated/routes.ts';
import { type Json, redactExchange } from '../../../src/testing/index.ts';
import { test } from '../../support/fixture.ts';
import { contentOf, newFile, recorder } from './support.ts';

const streams = allRoutes
  .filter(({ streams }) => streams)
  .flatMap((route) => {
    const names = Object.keys(examples[route.id]?.replies['200 text/event-stream'] ?? {});
    return names.map((name) => ({ id: route.id, name, route }));
  });

function formOf(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, name === 'file' ? new File(['sound'], 'ada.wav') : String(value));
  return form;
}

/** Every name and every text of a value, with the field that has it. */
function leaves(value: unknown, field = ''): { readonly names: string[]; readonly texts: [field: string, text: string][] } {
  if (typeof value === 'string') return { names: [], texts: [[field, value]] };
  if (typeof value !== 'object' || value === null) return { names: [], texts: [] };
  const inner = Object.entries(value).map(([name, one]) => leaves(one, Array.isArray(value) ? field : name));
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return { names: [...names, ...inner.flatMap((one) => one.names)], texts: inner.flatMap((one) => one.texts) };
}

/** Fields with words of the service. Any other text is one of a user, a model or an id. */
const ofService =
  /^(?:type|object|model|role|status|task_status|finish_reason|stop_reason|effort|truncation|service_tier|code|purpose|event|agent_id|tool_choice|summary)$/;

describe('a stream in a bundle', () => {
  test.for(streams)('$id, example $name: events and fields are readable, texts are lengths', async ({ id, name, route }, { fake }) => {
    const samples = Object.values(requests[id] ?? {}) as Record<string, unknown>[];
    const request = { ...samples[0], ...samples.find(({ stream }) => stream === true), stream: true };
    const bodies = ['cassette', 'bundle'].map(async (profile) => {
      const file = newFile();
      const cassette = recorder(file, { redact: { profile: profile as 'bundle' } });
      const headers = { authorization: 'Bearer fake-id.fake-secret', prefer: `example=${name}`, accept: 'text/event-stream' };
      const body = route.request === 'multipart' ? formOf(request) : JSON.stringify(request);
      const type = route.request === 'multipart' ? {} : { 'content-type': 'application/json' };
      await (await cassette(fake.url + route.path, { method: 'POST', headers: { ...headers, ...type }, body })).text();
      await cassette.save();
      return contentOf(file).exchanges[0];
    });
    const [plain, bundle] = await Promise.all(bodies);
    const [given, shown] = [plain?.response.frames ?? [], bundle?.response.frames ?? []];
    expect(plain?.response).toMatchObject({ status: 200, end: 'closed' });
    expect(shown.length).toBe(given.length);
    expect(bundle?.response.headers['content-type']).toBe(plain?.response.headers['content-type']);
    for (const [index, frame] of given.entries()) {
      const other = shown[index];
      expect(other?.event).toBe(frame.event);
      if (frame.data === undefined || frame.data.startsWith('[')) {
        expect([other?.data, other?.raw]).toEqual([frame.data, frame.raw]);
        continue;
      }
      const [before, after] = [leaves(JSON.parse(frame.data)), leaves(JSON.parse(other?.data ?? ''))];
      expect(after.names).toEqual(before.names);
      for (const [at, [field, text]] of before.texts.entries()) {
        const seen = after.texts[at]?.[1];
        if (ofService.test(field)) expect(`${field} ${seen}`).toBe(`${field} ${text}`);
        else if (seen !== text || /[A-Z ]/.test(text)) expect(`${field} ${seen}`).toMatch(/ (?:<text \d+>|<removed>|<id>)$|^\w+ $/);
      }
    }
    const sent = JSON.stringify(bundle?.request);
    for (const [field, text] of leaves(request).texts) if (/ |^[A-Z][a-z]+$/.test(text) && !ofService.test(field)) expect(sent).not.toContain(text);
  });
});

/** The text of a field of a request, a frame, a line of an event, a form and a query, each in a bundle. */
function shownIn(field: string, text: string): string[] {
  const body = { choices: [{ [field]: text }], error: { [field]: text } } as Json;
  const line = text.replace(/[\r\n]/g, ' ');
  const { request, response } = redactExchange(
    {
      request: {
        method: 'POST',
        host: 'api.z.ai',
        path: `/models?${field}=${encodeURIComponent(text)}`,
        headers: {},
        parts: [{ name: field, data: text }],
      },
      response: {
        status: 200,
        headers: {},
        frames: [
          { after: 0, event: line, data: JSON.stringify(body) },
          { after: 0, raw: `event: ${line}\r\ndata: ${JSON.stringify({ [field]: text })}\r\n\r\n` },
        ],
        count: 2,
        end: 'closed',
      },
    },
    { profile: 'bundle' },
  );
  return [
    request.path,
    request.parts?.[0]?.data ?? '',
    ...(response.frames ?? []).flatMap(({ event = '', data = '', raw = '' }) => [event, data, raw]),
  ];
}

const fields = ['type', 'status', 'finish_reason', 'stop_reason', 'model', 'object', 'code', 'task_status', 'agent_id', 'reason'];
const name = fc.stringMatching(/^[A-Z][a-z]{2,8}$/);
const secrets: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{32}\.[A-Za-z0-9]{16}$/),
  fc.stringMatching(/^sk-[a-z0-9_-]{20,40}$/),
  fc.stringMatching(/^(?:ghp_|glpat-)[a-z]{20,24}$/),
  fc.stringMatching(/^eyJ[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{12}$/),
  fc.uuid(),
  fc.stringMatching(/^[a-z][0-9][a-z0-9]{14,38}[a-z][0-9]$/),
  fc.stringMatching(/^(?:[a-z]{17,40}|[0-9]{5,20}|\+?[0-9]{3}-[0-9]{7,8})$/),
  fc.tuple(name, name).map((both) => both.join(' ')),
  name,
  fc.tuple(name, name).map(([one, other]) => `${one}${other}`),
  fc.constantFrom('李雷', 'Ñandú', "O'Brien", 'ada lovelace', 'call me back', '10.0.0.7', '/home/ada/plan.txt'),
  fc.emailAddress(),
  fc.tuple(name, name).map(([one, other]) => `${one}.${other}@mail.example`.toLowerCase()),
);

describe('an identifier that the spec lacks', () => {
  test('is never a key, a name or an address, in any place where an identifier belongs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fields), secrets, (field, secret) => {
        const encoded = encodeURIComponent(secret);
        for (const seen of shownIn(field, secret)) expect(seen.includes(secret) || seen.includes(encoded) ? seen : '').toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  test('is not shown if it is a credential of the request', () => {
    const own = 'correct-horse';
    const given = {
      request: { method: 'GET', host: 'api.z.ai', path: '/models', headers: { 'x-api-key': own } },
      response: { status: 401, headers: {}, body: { error: { type: own } } },
    };
    expect(JSON.stringify(redactExchange(given, { profile: 'bundle' }))).not.toContain(own);
  });

  const others: readonly [field: string, word: string][] = [
    ['finish_reason', 'quota_used_up'],
    ['type', 'response.audio_transcript.delta'],
    ['model', 'glm-5.4-air'],
    ['model', 'glm-tts-2611'],
    ['model', 'glm-0-flash-261105'],
    ['status', 'QUEUED'],
    ['task_status', 'WAITING_LONG'],
    ['code', '1399'],
    ['type', 'too_many_tools_error'],
    ['agent_id', 'slides_agent'],
  ];
  test.each(others)('is shown in %s: %s', (field, word) => {
    const [, part, event, data, , , , raw] = shownIn(field, word);
    const isEvent = !/^\d/.test(word) && !/\d{4}/.test(word);
    expect([part, data]).toEqual([word, JSON.stringify({ choices: [{ [field]: word }], error: { [field]: word } })]);
    if (isEvent) expect([event, raw]).toEqual([word, `event: ${word}\r\ndata: {"${field}":"${word}"}\r\n\r\n`]);
  });

  test('is a length elsewhere: in texts, in names, and below fields of users and tools', () => {
    const word = 'quota_used_up';
    const body = {
      content: word,
      [word]: 1,
      metadata: { type: word },
      custom_variables: { status: word },
      input: [{ type: word }],
      tools: [{ function: { parameters: { type: word } } }],
      own_field: { type: word },
    };
    const given = {
      request: { method: 'POST', host: 'api.z.ai', path: '/x', headers: {}, body },
      response: { status: 200, headers: {}, text: word },
    };
    const { request, response } = redactExchange(given, { profile: 'bundle' });
    expect(JSON.stringify([request.body, response])).not.toContain(word);
    expect(request.body).toMatchObject({ metadata: { type: '<text 13>' }, '<name 13>': 1, '<name 9>': { type: '<text 13>' } });
  });
});
