// The examples of the spec.
import { examples, requests } from '../../src/generated/examples.ts';

type Named = [name: string, value: unknown];

export function requestExamples(id: string): Named[] {
  return Object.entries(requests[id] ?? {});
}

export function replyExamples(id: string, mediaType = 'application/json'): Named[] {
  return Object.entries(examples[id]?.replies[`200 ${mediaType}`] ?? {});
}

interface Envelope {
  readonly code?: string | number;
  readonly type?: string;
  readonly message?: string;
  readonly msg?: string;
  readonly error?: Envelope;
}

export interface ErrorExample {
  readonly example: string;
  /** As the spec declares it: a number or `default`. */
  readonly declared: string;
  /** The status that the mock is asked for. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly value: unknown;
}

/** Code and message of a failure, in whichever envelope it comes. Without a code it is empty. */
export function toldBy(failure: unknown): { readonly code: string; readonly message: string } {
  const envelope = failure as Envelope;
  const { code, type = '', message, msg = '' } = envelope.error ?? envelope;
  const text = message ?? msg;
  // Of `[code][text][request id]` only the text.
  return { code: String(code ?? type), message: /^\[\d+\]\[(.*)\]\[\w+\]$/.exec(text)?.[1] ?? text };
}

/** Every declared failure of an operation. A failure under `default` has a status that the spec does not declare. */
export function errorExamples(id: string): ErrorExample[] {
  return Object.entries(examples[id]?.replies ?? {})
    .filter(([key]) => !key.startsWith('200 '))
    .flatMap(([key, named]) => {
      const declared = key.split(' ')[0] ?? '';
      const status = declared === 'default' ? 503 : Number(declared);
      return Object.entries(named).map(([example, value]): ErrorExample => ({ example, declared, status, value, ...toldBy(value) }));
    });
}

/** Category, and whether the same call can succeed later, by the code of the error examples. */
export const meaningOf: Readonly<Record<string, readonly [category: string, retryable: boolean]>> = {
  '400': ['parameter', false],
  '401': ['auth', false],
  '500': ['server', true],
  '1000': ['auth', false],
  '1113': ['billing', false],
  '1210': ['parameter', false],
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
  invalid_request: ['parameter', false],
  model_not_found: ['parameter', false],
  context_length_exceeded: ['parameter', false],
  insufficient_quota: ['billing', false],
  overloaded: ['rate', true],
  server_error: ['server', true],
};

/** The JSON payloads of an event stream example. */
export function payloads(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.slice(5).trim() !== '[DONE]')
    .map((line) => JSON.parse(line.slice(5)));
}
