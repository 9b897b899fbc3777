// One probe on the wire: through the library's client, with its transport, proxies and timeouts, and without its retries.
import { createParser } from 'eventsource-parser';
import { type Client, isApiError } from 'modelsvc';
import type { ExchangeFrame, Json, RecordedExchange } from 'modelsvc/testing';
import type { Cli } from '../../cli.ts';
import { hooksOf } from '../../client.ts';
import { CliError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import { placeOf, rawCall } from '../api/surface.ts';
import type { ClaimProbe } from './probes/probe.ts';
import { codeOf, type ProbeReply } from './reply.ts';

/** Largest reply that is read, in bytes. No probe asks for more. */
const maxReplyBytes = 4 * 1024 * 1024;

export interface ProbeAnswer {
  readonly reply: ProbeReply;
  /** Request and response as they were, without the key. */
  readonly exchange: RecordedExchange;
  /** Milliseconds to wait, if the failure states them. */
  readonly retryAfter: number | undefined;
}

export class ProbeSender {
  readonly #cli: Cli;
  readonly #client: Client;
  readonly #apiKey: string;

  constructor(cli: Cli, client: Client, apiKey: string) {
    this.#cli = cli;
    this.#client = client;
    this.#apiKey = apiKey;
  }

  /** The URL of a probe, from the library, without a request. Throws the reason if the key must not go there. */
  async urlOf(probe: ClaimProbe): Promise<URL> {
    let found: string | undefined;
    const httpClient = (url: string): never => {
      found = url;
      throw new Error('not sent');
    };
    try {
      await this.#call(probe, this.#client.with({ httpClient, maxRetries: 0, hooks: [] }));
    } catch (error) {
      if (found === undefined) throw this.#cli.refusal ?? error;
    }
    if (found === undefined) throw new CliError(`${probe.name} has no URL`);
    return new URL(found);
  }

  /** Sends a probe once. Throws the error of the library if no reply arrives. */
  async send(probe: ClaimProbe, url: URL): Promise<ProbeAnswer> {
    let failure: unknown;
    const hooks = [...(await hooksOf(this.#cli)), { onEnd: (_meta: unknown, { error }: { readonly error: unknown }) => void (failure = error) }];
    const wrong = `${this.#apiKey.slice(0, -1)}${this.#apiKey.endsWith('0') ? '1' : '0'}`;
    const keys = probe.credential === 'wrong' ? { apiKey: wrong, chinaAPIKey: wrong } : {};
    const client = this.#client.with({ hooks, maxRetries: 0, ...keys });
    const { response, error } = await this.#call(probe, client);
    const type = response.headers.get('content-type') ?? '';
    const text = response.ok ? await wholeText(response) : typeof error === 'string' ? error : error === undefined ? '' : JSON.stringify(error);
    const isStream = response.ok && type.startsWith('text/event-stream');
    const frames = isStream ? framesIn(text) : [];
    const body = isStream ? undefined : jsonValue(text);
    const { status } = response;
    const events = frames.map(({ data }) => jsonValue(data ?? '')).filter((one) => one !== undefined);
    const code = codeOf(status, isStream ? undefined : body) ?? events.map((one) => codeOf(status, one)).find((one) => one !== undefined);
    return {
      reply: { status, code, body, frames: events },
      exchange: {
        request: {
          method: probe.method,
          host: url.host,
          path: url.pathname + url.search,
          headers: probe.body === undefined ? {} : { 'content-type': 'application/json' },
          ...(probe.body !== undefined && { body: probe.body as Json }),
        },
        response: {
          status,
          headers: type === '' ? {} : { 'content-type': type },
          ...(isStream
            ? { frames, count: frames.length, end: 'closed' as const }
            : body === undefined
              ? { ...(text !== '' && { text }) }
              : { body: body as Json }),
        },
      },
      retryAfter: isApiError(failure) ? failure.retryAfter : undefined,
    };
  }

  #call({ method, template, path = template, body }: ClaimProbe, client: Client): ReturnType<ReturnType<typeof rawCall>> {
    return rawCall(client, placeOf(template).surface)(method, path, {
      ...(body !== undefined && {
        body: JSON.stringify(body),
        bodySerializer: (text: string) => text,
        headers: { 'content-type': 'application/json' },
      }),
      parseAs: 'stream',
      signal: this.#cli.signal,
    });
  }
}

async function wholeText({ body }: Response): Promise<string> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  if (body)
    for await (const block of body) {
      size += block.length;
      if (size > maxReplyBytes) throw new CliError(`the reply has more than ${maxReplyBytes} bytes`);
      blocks.push(block);
    }
  return Buffer.concat(blocks).toString('utf8');
}

/** Without times: they would differ in each run. */
function framesIn(text: string): ExchangeFrame[] {
  const frames: ExchangeFrame[] = [];
  const parser = createParser({ onEvent: ({ data, event }) => void frames.push({ after: 0, ...(event !== undefined && { event }), data }) });
  parser.feed(text);
  parser.reset({ consume: true });
  return frames;
}
