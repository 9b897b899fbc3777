/** The server of `bench/concurrency.ts`, in a process of its own: it takes a number of calls at once that its clients do not know. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Limits from a time on, in milliseconds since the first request of a run. */
export interface Phase {
  readonly from: number;
  readonly limit: number;
  readonly overloaded?: boolean;
}

export interface ServicePlan {
  readonly phases: readonly Phase[];
  readonly serviceMs: number;
  readonly refusalMs: number;
}

let plan: ServicePlan = { phases: [], serviceMs: 50, refusalMs: 1 };
let started: number | undefined;
let [inFlight, requests] = [0, 0];

function phaseNow(): Phase {
  started ??= performance.now();
  const since = performance.now() - started;
  return plan.phases.findLast(({ from }) => from <= since) ?? { from: 0, limit: 1 };
}

const server = createServer((incoming, outgoing) => {
  const reply = (status: number, body: object, afterMs: number): void => {
    setTimeout(() => outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)), afterMs);
  };
  const refuse = (code: string, message: string): void => reply(429, { error: { code, message } }, plan.refusalMs);
  const texts: string[] = [];
  incoming.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  incoming.on('end', () => {
    requests++;
    const { limit, overloaded } = phaseNow();
    if (overloaded) return refuse('1305', 'The model is overloaded');
    if (inFlight >= limit) return refuse('1302', 'High concurrency usage of this API');
    inFlight++;
    const { messages } = JSON.parse(texts.join('')) as { readonly messages: readonly { readonly role: string; readonly content: string }[] };
    // The calls of tool loops: the first round asks for the tool.
    const asks = messages.length === 1 && messages[0]?.content === 'loop';
    const call = { id: 'c', type: 'function', function: { name: 'ask', arguments: '{}' } };
    const message = asks ? { role: 'assistant', content: null, tool_calls: [call] } : { role: 'assistant', content: 'done' };
    const body = { id: '1', created: 1, model: 'm', choices: [{ index: 0, finish_reason: asks ? 'tool_calls' : 'stop', message }] };
    reply(200, body, plan.serviceMs * (0.8 + 0.4 * Math.random()));
    outgoing.on('close', () => {
      inFlight--;
    });
  });
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

process.on('message', (message: ServicePlan | 'count') => {
  if (message === 'count') return void process.send?.({ requests });
  plan = message;
  started = undefined;
  requests = 0;
  process.send?.({ requests });
});
