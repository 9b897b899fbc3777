import { describe, expect, it } from 'vitest';
import { isApiError, newClient } from '../../src/overlay/index.ts';
import type { AgentAsyncResultRequest, AgentRunRequest } from '../../src/types/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { localServer } from '../support/local-server.ts';
import { ofKind } from '../support/of-kind.ts';
import { accepted, collect, configAt, exchangeOf, failureOf, mockClient, preferring } from '../support/spec.ts';
import { payloads, replyExamples } from '../support/spec-examples.ts';
import { violations } from '../support/spec-schemas.ts';

const translation: AgentRunRequest = {
  agent_id: 'general_translation',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  custom_variables: { source_lang: 'auto', target_lang: 'zh-CN' },
};
const job: AgentAsyncResultRequest = { agent_id: 'doc_translation_agent', async_id: 'async-1' };

describe('agents.stream', () => {
  it.each(replyExamples('agents.invoke', 'text/event-stream'))('gives every chunk in order: %s', async (name, text) => {
    const stream = mockClient().agents().stream(preferring(name), translation);
    const { items, error } = await collect(stream);
    const chunks = payloads(text as string);
    if (name === 'failed') {
      expect(items).toEqual(chunks.slice(0, -1));
      expect(error).toMatchObject({ kind: 'api', operation: 'agents.stream', status: 200, code: '1234' });
    } else {
      expect(error).toBeUndefined();
      expect(items).toEqual(chunks);
      for (const chunk of items) expect(violations('agents.invoke', '200', 'text/event-stream', chunk)).toEqual([]);
    }
    expect(exchangeOf(stream)).toEqual(accepted);
  });

  it('asks for a stream in body and header', async () => {
    const server = await localServer({ body: 'data: [DONE]\n\n' });
    await collect(newClient(configAt(server.url)).agents().stream(undefined, translation));
    expect(server.requests[0]).toMatchObject({ path: '/v1/agents', body: { ...translation, stream: true } });
    expect(server.requests[0]?.headers.accept).toContain('text/event-stream');
  });

  it('throws when a chunk shows only by its status that the run failed', async () => {
    const server = await localServer({ body: 'data: {"id":"1","status":"success"}\n\ndata: {"id":"1","status":"failed"}\n\ndata: [DONE]\n\n' });
    const { items, error } = await collect(newClient(configAt(server.url)).agents().stream(undefined, translation));
    expect(items).toEqual([{ id: '1', status: 'success' }]);
    expect(error).toSatisfy(isApiError);
  });

  it('throws the failure of a run that is answered with JSON instead of a stream', async () => {
    const server = await localServer({
      body: { id: '1', agent_id: 'general_translation', status: 'failed', error: { code: '1113', message: 'No balance.' } },
    });
    const { items, error } = await collect(newClient(configAt(server.url)).agents().stream(undefined, translation));
    expect(items).toEqual([]);
    expect(error).toMatchObject({ kind: 'api', status: 200, code: '1113', category: 'billing' });
  });
});

describe('agents.wait', () => {
  it('polls through pending and unknown statuses, and reports each', async () => {
    const states = ['pending', 'queued_somewhere', 'success'];
    const server = await answeringServer((_asked, index) => ({ body: { ...job, status: states[index] } }));
    const seen: string[] = [];
    const result = await newClient(configAt(server.url))
      .agents()
      .wait(undefined, { ...job, custom_variables: { page: 1 } }, { interval: 1, onState: (state) => seen.push(String(state.status)) });
    expect(result.status).toBe('success');
    expect(seen).toEqual(['pending', 'queued_somewhere']);
    expect(server.asked.map(({ path, text }) => [path, JSON.parse(text)])).toEqual(
      Array(3).fill(['/v1/agents/async-result', { ...job, custom_variables: { page: 1 } }]),
    );
  });

  it('throws the failure of the run with its code', async () => {
    const server = await answeringServer((_asked, index) => ({
      body: index === 0 ? { ...job, status: 'pending' } : { ...job, status: 'failed', error: { code: '1234', message: 'Network failure.' } },
    }));
    const waiting = newClient(configAt(server.url)).agents().wait({ maxRetries: 0 }, job, { interval: 1 });
    expect(await failureOf(() => waiting)).toMatchObject({ kind: 'api', operation: 'agents.wait', status: 200, code: '1234' });
  });
});

describe('bad input is refused before anything is sent', () => {
  const agents = newClient(configAt('http://127.0.0.1:9')).agents();
  const cases: [string, () => Promise<unknown>][] = [
    ['agents.invoke: messages must not be empty', () => agents.invoke(undefined, { ...translation, messages: [] })],
    ['agents.invoke: stream must not be true here: use agents().stream', () => agents.invoke(undefined, { ...translation, stream: true } as never)],
    ['agents.stream: messages is required', () => agents.stream(undefined, { agent_id: 'x' } as never).next()],
    ['agents.wait: async_id must not be empty', () => agents.wait(undefined, { agent_id: 'x', async_id: '' })],
    ['agents.wait: the request must be an object: pass ctx first, then the request', () => agents.wait(undefined, undefined as never)],
  ];
  it.each(cases)('%s', async (message, call) => {
    const error = await failureOf(call);
    expect(error).toSatisfy(ofKind('validation'));
    expect((error as Error).message).toBe(message);
  });
});
