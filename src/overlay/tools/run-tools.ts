// The tool loop of all surfaces: call the model, run the tools it requests, and repeat.
import { perform } from '../call/operation.ts';
import { validated } from '../errors/problem.ts';
import { informed, lastResponses, withPartial } from '../streams/collect.ts';
import { toolRun } from './run-info.ts';
import type { ToolCalls, ToolSurface } from './surface.ts';
import { ToolLoop } from './tool-loop.ts';
import { type AnyTools, asSent, laterInput, type ToolLoopInput } from './tool-loop-input.ts';
import { type StreamedRun, ToolStream } from './tool-stream.ts';

/** Calls the model and runs the tools it requests, until it requests none. */
export function runTools<Request, Response extends object, Item, Message, Tools extends AnyTools>(
  calls: ToolCalls<Request, Response, Item, Message>,
  given: ToolLoopInput<Request, Response, Tools>,
): Promise<Response> {
  const input = { ...given, request: asSent(given.request) } as ToolLoopInput<Request, Response>;
  return perform(calls.settings, 'tools.run', input.operation, input.ctx, (ctx) => runRounds(calls, { ...input, ctx }));
}

async function runRounds<Request, Response extends object, Item, Message>(
  calls: ToolCalls<Request, Response, Item, Message>,
  input: ToolLoopInput<Request, Response>,
): Promise<Response> {
  const loop = validated(input.operation, () => new ToolLoop(calls, input));
  try {
    while (true) {
      const response = await loop.create();
      if (!(await loop.accept(response))) continue;
      loop.remember(response);
      return response;
    }
  } catch (error) {
    // Tools may have had effects, so the error must lead to the transcript so far.
    loop.remember(error);
    throw error;
  } finally {
    loop.run.release();
  }
}

/** Like `runTools`, but returns the items of all rounds. The run starts at the first item; after the end `toolRun` accepts the stream. */
export function streamTools<Request, Response extends object, Item, Message, Tools extends AnyTools>(
  calls: ToolCalls<Request, Response, Item, Message>,
  given: ToolLoopInput<Request, Response, Tools>,
): ToolStream<Item> {
  const input = laterInput(given as ToolLoopInput<Request, Response>);
  const stream = new ToolStream<Item>(calls.settings, input.operation, input.ctx, (key, ctx) => startStream(calls, { ...input, ctx }, key));
  lastResponses.set(stream, () => toolRun(stream as unknown)?.response);
  return stream;
}

function startStream<Request, Response extends object, Item, Message>(
  calls: ToolCalls<Request, Response, Item, Message>,
  input: ToolLoopInput<Request, Response>,
  key: object,
): StreamedRun<Item> {
  const loop = validated(input.operation, () => new ToolLoop(calls, input));
  const { run } = loop;
  return {
    items: streamRounds(calls.tools, loop, key),
    leave: (reason) => run.leave(reason),
    drop: () => run.release(),
  };
}

async function* streamRounds<Request, Response extends object, Item, Message>(
  surface: ToolSurface<Request, Response, Item, Message>,
  loop: ToolLoop<Request, Response, Item, Message>,
  key: object,
): AsyncGenerator<Item, void, undefined> {
  try {
    while (true) {
      const collected = surface.collect();
      const stream = loop.stream();
      try {
        for await (const item of stream) {
          collected.add(item);
          yield item;
        }
      } catch (error) {
        throw withPartial(error, collected, stream);
      }
      const response = collected.assembled(true);
      for (const one of [response, key]) informed(one, stream);
      if (!(await loop.accept(response))) continue;
      loop.remember(response);
      return;
    }
  } catch (error) {
    loop.remember(error);
    throw error;
  } finally {
    // Also for a stream that was left or failed: tools may have had effects.
    if (loop.hasResponse) loop.remember(key);
    loop.run.release();
  }
}
