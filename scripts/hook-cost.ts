/**
 * `npm run bench:hooks`: the cost of hooks. CPU time of a call and of a stream of 100 chunks, whose replies come from memory, each variant
 * in processes of its own. The last lines show the hook's own methods without an SDK.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { otelHook } from '../src/observe/index.ts';
import { type Hook, newClient } from '../src/overlay/index.ts';

const variants: Readonly<Record<string, () => Hook[]>> = {
  'no hook': () => [],
  'no-op hook': () => [{}],
  'otelHook without SDK': () => [otelHook()],
  'otelHook with SDK': () => {
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new NoopSpanProcessor()] }));
    api.metrics.setGlobalMeterProvider(new MeterProvider());
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    return [otelHook()];
  },
};

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const whole = JSON.stringify({
  id: '1',
  model: 'glm-5.2',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
  usage,
});
const frame = (delta: object, rest: object = {}): string =>
  `data: ${JSON.stringify({ id: '1', model: 'glm-5.2', choices: [{ index: 0, delta, ...rest }] })}\n\n`;
const frames = `${frame({ content: 'word ' }).repeat(99)}${frame({}, { finish_reason: 'stop' })}data: [DONE]\n\n`;

/** Microseconds of CPU time for each run. */
async function cost(run: () => Promise<void>, times: number): Promise<number> {
  for (let index = 0; index < times / 4; index++) await run();
  const started = process.cpuUsage();
  for (let index = 0; index < times; index++) await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / times;
}

async function measure(variant: string): Promise<void> {
  const httpClient = async (_url: string, init: RequestInit): Promise<Response> =>
    String(init.body).includes('"stream":true')
      ? new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
      : new Response(whole, { headers: { 'content-type': 'application/json' } });
  const chat = newClient({ apiKey: 'bench-key', httpClient, hooks: variants[variant]?.() ?? [] }).chat();
  const call = await cost(async () => void (await chat.create(undefined, request)), 4000);
  const stream = await cost(async () => {
    for await (const _chunk of chat.stream(undefined, request));
  }, 800);
  process.send?.({ call, stream });
}

function once(variant: string): Promise<{ call: number; stream: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), variant], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', resolve as (message: unknown) => void);
    child.on('exit', (code) => reject(new Error(`${variant} ended with ${code} before its result`)));
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Nanoseconds of `onStart` and `onEnd` without an SDK. */
function ownCost(): number {
  const hook = otelHook();
  const meta = { kind: 'call', method: 'POST', endpoint: '/chat/completions', model: 'glm-5.2', origin: 'https://api.z.ai' } as never;
  const content = { request: () => request, clean: String };
  const times = 2_000_000;
  const loop = (): number => {
    const started = process.hrtime.bigint();
    for (let index = 0; index < times; index++) hook.onEnd?.(meta, undefined as never, hook.onStart?.(meta, content));
    return Number(process.hrtime.bigint() - started) / times;
  };
  loop();
  return loop();
}

const [variant] = process.argv.slice(2);
if (variant !== undefined) await measure(variant);
else {
  const rounds: Record<string, { call: number; stream: number }[]> = {};
  for (let round = 0; round < 5; round++) for (const name of Object.keys(variants)) (rounds[name] ??= []).push(await once(name));
  for (const [name, results] of Object.entries(rounds)) {
    const [call, stream] = [median(results.map((one) => one.call)), median(results.map((one) => one.stream))];
    console.log(`${name.padEnd(22)} ${call.toFixed(1).padStart(7)} µs a call ${stream.toFixed(1).padStart(8)} µs a stream of 100 chunks`);
  }
  console.log(`otelHook without SDK, onStart and onEnd alone: ${ownCost().toFixed(0)} ns`);
}
