// Whether the service searched the web for an answer: a reply with status 200 is not a proof.

import { describe, expect } from 'vitest';
import { type AnthropicMessageRequest, collecting, textDeltas, toolRun, webSearchOf } from '../../src/overlay/index.ts';
import { test as it } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { messageAnswer, scriptedModel } from '../support/scripted-model.ts';

const page = { title: 'A', url: 'https://a.example/' };
const request: AnthropicMessageRequest = {
  model: 'glm-5.3',
  max_tokens: 100,
  messages: [
    { role: 'user', content: 'Rain in Oslo?' },
    { role: 'system', content: 'Be brief.' },
  ],
  tools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 3, allowed_domains: ['a.example'], blocked_domains: [] }],
};
const call = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', ...page, encrypted_content: 'e' }] };
const text = { type: 'text', text: 'Rain.' };
const cited = { ...text, citations: [{ type: 'web_search_result_location', title: 'B', url: 'https://b.example/', cited_text: 'Rain.' }] };
const failed = { ...found, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } };
const none = { ran: false, sources: [], errors: [] };
const item = { type: 'web_search_call', status: 'completed', result: [{ title: 'A', link: page.url }] };

describe('webSearchOf', () => {
  it.for<[string, object, object]>([
    ['a call with its result', messageAnswer([call, found, text]), { ran: true, sources: [page], errors: [] }],
    [
      'citations, which are the sources then',
      messageAnswer([call, found, cited]),
      { ran: true, sources: [{ title: 'B', url: 'https://b.example/' }] },
    ],
    ['a call alone', messageAnswer([call]), none],
    ['a result without its call', messageAnswer([found]), none],
    ['a result of another call', messageAnswer([{ ...call, id: 's2' }, found]), none],
    ['a search that failed', messageAnswer([call, failed]), { ...none, errors: ['max_uses_exceeded'] }],
    ['the usage', { ...messageAnswer([text]), usage: { server_tool_use: { web_search_requests: 2 } } }, { ...none, ran: true }],
    ['a usage of 0', { ...messageAnswer([text]), usage: { server_tool_use: { web_search_requests: 0 } } }, none],
    ['a text', messageAnswer([text]), none],
    ['no content', { content: null, usage: null }, none],
    ['sources of chat', { choices: [], web_search: [{ title: 'A', link: page.url }, null] }, { ran: true, sources: [page], errors: [] }],
    ['chat without sources', { choices: [], web_search: [] }, none],
    ['an item of Responses', { output: [item] }, { ran: true, sources: [page], errors: [] }],
    ['a failed item', { output: [{ ...item, status: 'failed', result: null }] }, none],
    ['a page twice', messageAnswer([call, { ...found, content: [...found.content, ...found.content] }]), { ran: true, sources: [page] }],
  ])('reads %s', ([, reply, expected]) => {
    expect(webSearchOf(reply as never)).toMatchObject(expected);
  });
});

describe('a search on messages', () => {
  it.for([0, 1])('is in the reply, and in the stream that collects to it (%i)', async (isStream, { client, fake }) => {
    const stream = collecting(client.anthropic().stream(undefined, request));
    const reply = isStream ? await stream.response() : await client.anthropic().create(undefined, request);
    expect(reply.content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text']);
    expect(reply.content[2]).toMatchObject({ citations: [{ type: 'web_search_result_location', url: 'https://a.example/' }] });
    expect(reply.usage.server_tool_use?.web_search_requests).toBe(1);
    expect(webSearchOf(reply)).toEqual({ ran: true, sources: [{ title: 'A page', url: 'https://a.example/' }], errors: [] });
    expect(fake.requests[0]?.body).toMatchObject({ messages: request.messages, tools: request.tools });
  });

  it('of a version that the root does not know is ignored in silence', async ({ client }) => {
    const reply = await client.anthropic().create(undefined, { ...request, tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
    expect([reply.stop_reason, webSearchOf(reply)]).toEqual(['end_turn', none]);
  });

  it('goes on after pause_turn without a tool of the caller, for a bounded number of rounds', async () => {
    const paused = messageAnswer([{ type: 'text', text: 'I search. ' }, call, found], 'pause_turn');
    const { client, requests } = await scriptedModel(
      paused,
      messageAnswer([{ ...call, id: 's2' }, { ...failed, tool_use_id: 's2' }, text]),
      messageAnswer([text]),
    );
    const reply = await client.anthropic().runWithTools(undefined, request, []);
    const run = toolRun(reply);
    const errors = ['max_uses_exceeded'];
    expect(requests.map(({ body }) => body.messages.length)).toEqual([2, 3]);
    expect(requests[1]?.body.tools).toEqual(request.tools);
    expect([webSearchOf(reply), webSearchOf(run as NonNullable<typeof run>)]).toEqual([
      { ...none, errors },
      { ran: true, sources: [page], errors },
    ]);

    const later = { ...request, messages: [...(run?.transcript ?? []), { role: 'user', content: 'And Rome?' }] };
    const second = toolRun(await client.anthropic().runWithTools(undefined, later, [])) as NonNullable<typeof run>;
    expect(webSearchOf(second)).toEqual(none);

    const endless = await scriptedModel(paused);
    await expect(endless.client.anthropic().runWithTools(undefined, request, [], { maxRounds: 2 })).rejects.toSatisfy(ofKind('tool-loop'));
    expect(endless.requests).toHaveLength(3);
  });

  it('streams the rounds around pause_turn as one text', async ({ client, fake }) => {
    fake.messages.reply({ text: 'I search. ', finish: 'pause_turn' }).reply({ text: 'Rain.', webSearch: [{ title: 'A', link: page.url }] });
    const stream = client.anthropic().streamWithTools(undefined, request, []);
    let whole = '';
    for await (const piece of textDeltas(stream)) whole += piece;
    expect(whole).toBe('I search. Rain.');
    expect(webSearchOf(toolRun(stream) as never)).toEqual({ ran: true, sources: [page], errors: [] });
  });
});
