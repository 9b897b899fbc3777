import { expect, test } from 'vitest';
import { BodyReader } from '../../src/overlay/transport/body-reader.ts';

function ignore(): void {}

test('a body that has read on reports that it is full only while calls wait', () => {
  const response = { status: 200, header: () => undefined, headers: () => new Headers(), read: ignore, pause: ignore, resume: ignore };
  const exchange = { response: Promise.resolve(response), destroy: ignore };
  const body = new BodyReader(exchange, response, { streamIdleMs: 0, maxBufferedBytes: 1000 });
  let reports = 0;
  const onFull = (): void => void reports++;
  body.readOn(4000, onFull);
  body.block(new Uint8Array(2000));
  body.readOn(undefined, onFull);
  expect(reports).toBe(0);
  body.readOn(4000, onFull);
  body.block(new Uint8Array(2000));
  expect(reports).toBe(1);
  body.cancel();
});
