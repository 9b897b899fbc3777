import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { ajvWith, forValidator } from '../../scripts/generate/ajv.ts';
import { type Operation, readOperations } from '../../scripts/generate/operations.ts';
import { type JsonObject, loadYaml } from '../../scripts/generate/source.ts';
import { examples } from '../../src/generated/examples.ts';
import {
  type CallContext,
  type Client,
  type Config,
  type Context,
  newClient,
  responseInfo,
  withHeaders,
  withMaxRetries,
} from '../../src/overlay/index.ts';

export const testKey = 'test-key-0123456789.secretpart';

/** A Config whose every root is `url`. */
export function configAt(url: string, config: Partial<Config> = {}): Config {
  const endpoints = { messages: url, agents: url, monitor: url, biz: url, china: url, coding: url, platform: url };
  return { apiKey: testKey, baseURL: url, endpoints, ...config };
}

/** A client of the shared mock. */
export function mockClient(config: Partial<Config> = {}): Client {
  return newClient(configAt(inject('mockUrl'), config));
}

/** Ask the mock for one of the examples by name, with or without a status. */
export function preferring(example: string, status?: string): Context {
  return withHeaders(undefined, { prefer: status === undefined ? `example=${example}` : `code=${status}, example=${example}` });
}

export function withoutRetries(ctx: CallContext): Context {
  return withMaxRetries(ctx, 0);
}

const source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
const operations = new Map<string, Operation>(readOperations(source).map((one) => [one.id, one]));
const ajv = ajvWith(source.value);

/** The violations of the spec's schema by a reply; empty if it is valid. */
export function violations(id: string, status: string, mediaType: string, value: unknown): string[] {
  const reply = operations.get(id)?.replies.find((one) => one.status === status && one.mediaType === mediaType);
  if (!reply) throw new Error(`the spec has no ${status} ${mediaType} for ${id}`);
  // An event stream is validated by the schema of its events.
  const validate = ajv.compile(forValidator(reply.eventSchema ?? reply.schema) as JsonObject);
  return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}

/** The violations of a named schema of the spec by a request. */
export function schemaViolations(name: string, value: unknown): string[] {
  const validate = ajv.compile(forValidator({ $ref: `#/components/schemas/${name}` }) as JsonObject);
  return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}

type Named = [name: string, value: unknown];

export function requestExamples(id: string): Named[] {
  return Object.entries(examples[id]?.requests ?? {});
}

export function replyExamples(id: string, mediaType = 'application/json'): Named[] {
  return Object.entries(examples[id]?.replies[`200 ${mediaType}`] ?? {});
}

export interface ErrorExample {
  readonly example: string;
  /** As the spec declares it: a number or `default`. */
  readonly declared: string;
  /** The status that the mock is asked for. */
  readonly status: number;
  readonly value: {
    readonly error: { readonly code?: string; readonly type?: string; readonly message: string };
    readonly request_id?: string | null;
  };
}

/** Every declared failure of an operation. A failure under `default` has a status that the spec does not declare. */
export function errorExamples(id: string): ErrorExample[] {
  return Object.entries(examples[id]?.replies ?? {})
    .filter(([key]) => !key.startsWith('200 '))
    .flatMap(([key, named]) => {
      const declared = key.split(' ')[0] ?? '';
      const status = declared === 'default' ? 503 : Number(declared);
      return Object.entries(named).map(([example, value]): ErrorExample => ({ example, declared, status, value: value as ErrorExample['value'] }));
    });
}

/** Category, and whether the same call can succeed later, by the code of the error examples. */
export const meaningOf: Readonly<Record<string, readonly [category: string, retryable: boolean]>> = {
  '401': ['auth', false],
  '500': ['server', true],
  '1000': ['auth', false],
  '1113': ['billing', false],
  '1211': ['parameter', false],
  '1213': ['parameter', false],
  '1220': ['permission', false],
  '1234': ['server', true],
  '1261': ['parameter', false],
  '1301': ['content', false],
  '1302': ['rate', true],
  '1305': ['rate', true],
  '1308': ['quota', false],
  authentication_error: ['auth', false],
  invalid_request_error: ['parameter', false],
  rate_limit_error: ['rate', true],
  overloaded_error: ['rate', true],
  api_error: ['server', true],
};

/** The exchange behind a result: its status, and the violations that the mock reports, if any. */
export function exchangeOf(result: object): { status: number | undefined; violations: string | null | undefined } {
  const info = responseInfo(result);
  return { status: info?.status, violations: info?.headers.get('sl-violations') };
}

/** The request id in the header of every failure of the mock. */
export const mockRequestId = '20260711073212097e10bd995f4190';

export const accepted = { status: 200, violations: null };

/** The JSON payloads of an event stream example. */
export function payloads(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.slice(5).trim() !== '[DONE]')
    .map((line) => JSON.parse(line.slice(5)));
}

/** The items of a stream, and the error that ended it. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of stream) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

/** The error of a call that must fail. */
export async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}
