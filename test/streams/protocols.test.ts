// Each streaming operation of the document has its protocol, which reads the example of the document to its end.
import { describe, expect, it } from 'vitest';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import type { CallInput } from '../../src/overlay/call/request/build-call.ts';
import { resolveConfig } from '../../src/overlay/call/settings/settings.ts';
import { formInput } from '../../src/overlay/files/upload-request.ts';
import { ApiError, StreamError } from '../../src/overlay/index.ts';
import type { EventStream } from '../../src/overlay/streams/event-stream.ts';
import * as protocols from '../../src/overlay/streams/protocols.ts';
import { requestStream } from '../../src/overlay/streams/request-stream.ts';
import type { StreamProtocol } from '../../src/overlay/surfaces/protocol.ts';
import { configFor, type FakeService } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { replyExamples, requestExamples } from '../support/spec-examples.ts';

const constantOf = ({ id }: Route): string => id.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase());
const byConstant = new Map<string, () => StreamProtocol<object>>(Object.entries(protocols));
const streaming = allRoutes.filter(({ streams }) => streams);
const cases = streaming.flatMap((route) =>
  replyExamples(route.id, 'text/event-stream')
    .slice(0, 1)
    .map(([, text]) => ({ id: route.id, route, text: String(text) })),
);

it('each streaming operation has one protocol, and one example', () => {
  expect([...byConstant.keys()].sort()).toEqual(streaming.map(constantOf).sort());
  expect([...new Set(cases.map(({ route }) => route))]).toEqual(streaming);
});

/** The first request of the document, with files. */
function inputOf(route: Route): CallInput {
  const [, example = {}] = requestExamples(route.id)[0] ?? [];
  const body = Object.entries(example as object).map(([name, value]) => [name, route.parts?.[name]?.files ? new Blob(['RIFF']) : value]);
  return route.request === 'multipart' ? formInput(route, Object.fromEntries(body)) : { body: Object.fromEntries(body) };
}

function streamOf(fake: FakeService, route: Route, text: string): EventStream<object> {
  fake.fallback('*', { body: text, headers: { 'content-type': 'text/event-stream' } });
  const protocol = byConstant.get(constantOf(route))?.();
  if (!protocol) throw new Error(`${route.id} has no protocol`);
  return requestStream(resolveConfig(configFor(fake.url)), route as Route<never>, undefined, () => inputOf(route) as never, protocol, route.id);
}

async function itemsOf(stream: EventStream<object>): Promise<object[]> {
  const items: object[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** The frames of a text that are items. */
function framesOf(text: string): string[] {
  return text.split(/\n\n+/).filter((frame) => /^data: *\{/m.test(frame));
}

describe('the protocol of the example', () => {
  test.for(cases)('$id reads each item, to the end', async ({ route, text }, { fake }) => {
    expect(await itemsOf(streamOf(fake, route, text))).toHaveLength(framesOf(text).length);
  });

  test.for(cases)('$id cut after its first item is a StreamError', async ({ route, text }, { fake }) => {
    const error = await failure(itemsOf(streamOf(fake, route, `${framesOf(text)[0]}\n\n`)));
    expect(error).toBeInstanceOf(StreamError);
  });

  test.for(cases)('$id without an item is an ApiError', async ({ route }, { fake }) => {
    const error = await failure(itemsOf(streamOf(fake, route, 'data: {"error":{"code":"1305","message":"busy"}}\n\n')));
    expect(error).toBeInstanceOf(ApiError);
  });
});
