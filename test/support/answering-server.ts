import { onTestFinished } from 'vitest';
import { type FakeRequest, type Fault, type Reply, startFakeService } from '../../src/testing/index.ts';

export interface Asked {
  readonly method: string;
  /** Path and query as they came. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects go out as JSON, text and bytes as they are. */
  readonly body: unknown;
}

export interface AnsweringServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** TCP connections open now. */
  readonly sockets: number;
  /** Number of requests whose client left before the answer. */
  readonly abandoned: number;
}

function askedBy(request: FakeRequest): Asked {
  return { method: request.method, path: request.target, headers: request.headers, text: new TextDecoder().decode(request.bytes) };
}

/** A fake service that accepts any key and any request. `answer` makes the answer to each request. It closes with the test. */
export async function answeringServer(answer: (asked: Asked, index: number) => Answer | Fault | Promise<Answer | Fault>): Promise<AnsweringServer> {
  const fake = await startFakeService({ keys: 'any', validate: false });
  onTestFinished(() => fake.close());
  const asked: Asked[] = [];
  fake.fallback('*', async (request): Promise<Reply | Fault> => {
    const one = askedBy(request);
    return await answer(one, asked.push(one) - 1);
  });
  return {
    url: fake.url,
    asked,
    get sockets() {
      return fake.sockets;
    },
    get abandoned() {
      return fake.requests.filter((one) => one.outcome === 'left').length;
    },
  };
}
