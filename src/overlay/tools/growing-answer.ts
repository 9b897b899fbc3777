import type { ChatResponse } from '../../generated/types.ts';
import { leavable } from '../concurrency/leaving.ts';
import { StreamError } from '../errors/errors.ts';
import { checkOneResponse } from '../streams/collect.ts';
import { CollectingStream } from '../streams/collecting.ts';
import { type AnswerStream, textDeltas } from '../streams/helpers.ts';
import { GrowingJson } from './growing-json.ts';

/** A value of which any field may not have come yet, at any depth. A text may be the beginning of one, so an enum of texts is `string`. */
export type DeepPartial<T> = T extends string
  ? string
  : T extends readonly unknown[]
    ? number extends T['length']
      ? DeepPartial<T[number]>[]
      : { [Index in keyof T]?: DeepPartial<T[Index]> }
    : T extends object
      ? { [Name in keyof T]?: DeepPartial<T[Name]> }
      : T;

/** The value of an answer while it grows; see `partial` of a OutputFormat. */
export interface GrowingAnswer<Output, Input = unknown> extends AsyncGenerator<DeepPartial<Input> | Output, void, undefined> {
  /**
   * Reads the rest of the stream and returns the validated value. Call it before, during or after the loop, as often as you need. Rejects with
   * the error that ends the loop.
   */
  value(): Promise<Output>;
}

const operation = 'outputFormat.partial';

/** The steps of an answer, and the value that `parse` makes of its response. Throws for a value that is not a stream, and for a stream that is being read. */
export function growingAnswer(stream: AnswerStream, parse: (answer: ChatResponse) => Promise<unknown>): GrowingAnswer<unknown> {
  checkOneResponse(operation, stream);
  const collected = new CollectingStream<unknown, ChatResponse>(stream, operation);
  let parsed: Promise<unknown> | undefined;
  const value = (): Promise<unknown> => {
    parsed ??= collected.response().then(parse);
    // Not an unhandled rejection: the caller may handle the same error in the loop only.
    parsed.catch(() => undefined);
    return parsed;
  };
  const steps = leavable(operation, stepsOf(collected as AsyncIterable<never>, value), () => collected.return());
  let iterated = false;
  const iterate = (): typeof steps => {
    if (iterated) throw new StreamError(operation, 'used', 'a growing answer can be iterated only once');
    iterated = true;
    return steps;
  };
  return Object.assign(steps, { value, [Symbol.asyncIterator]: iterate });
}

async function* stepsOf(stream: AsyncIterable<never>, value: () => Promise<unknown>): AsyncGenerator<unknown, void, undefined> {
  const json = new GrowingJson();
  for await (const text of textDeltas(stream, { incomplete: 'return' })) if (json.add(text)) yield json.value;
  yield await value();
}
