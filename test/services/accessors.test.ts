import { describe, expect, it } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';

describe('ccessors', () => {
  const services: Readonly<Record<string, readonly string[]>> = {
    chat: ['create', 'createAsync', 'createStream', 'stream', 'createSimple', 'runWithTools', 'runWithToolsLimit'],
    models: ['list', 'get', 'getTextModels', 'getVisionModels', 'getFreeModels', 'refreshCache'],
    images: ['generate', 'generateAsync'],
    videos: ['generate'],
    audio: ['transcribe', 'speech'],
    voice: ['clone', 'delete', 'list'],
    layout: ['parse', 'handwritingOCR'],
    fileParser: ['create', 'sync', 'result'],
    files: ['upload', 'list', 'delete', 'content'],
    batch: ['create', 'retrieve', 'list', 'cancel'],
    agents: ['invoke', 'asyncResult'],
    anthropic: ['create', 'createStream', 'stream'],
    embeddings: ['create'],
    moderations: ['create'],
    rerank: ['create'],
    tools: ['webSearch', 'webReader', 'tokenize'],
    usage: [],
    quota: [],
    detection: [],
    account: [],
  };
  const client = newClient({ apiKey: 'any' }) as unknown as Record<string, () => Record<string, unknown>>;

  it.each(Object.entries(services))('%s() has its operations, and is one object', (accessor, operations) => {
    const service = client[accessor]?.();
    for (const operation of operations) expect(service?.[operation]).toBeTypeOf('function');
    expect(client[accessor]?.()).toBe(service);
  });

  it('the client itself polls', () => {
    expect([client['getAsyncResult'], client['waitForResult']].map((one) => typeof one)).toEqual(['function', 'function']);
  });
});
