import { loaded } from '../loaded.ts';
import { snapshot } from '../snapshot.ts';
import type { ToolLoopInput } from '../tool-loop.ts';
import type { ToolSurface } from './surface.ts';
import { ToolStream } from './tool-stream.ts';

interface Parts<Request, Response extends object, Item, Message> {
  readonly loop: typeof import('../tool-loop.ts');
  readonly surface: ToolSurface<Request, Response, Item, Message>;
}

/** The tool runs of one surface. The loop, and what it knows of the surface, are loaded at the first of them. */
export class ToolRuns<Request, Response extends object, Item, Message> {
  readonly #surface: () => Promise<ToolSurface<Request, Response, Item, Message>>;
  #parts: Parts<Request, Response, Item, Message> | undefined;

  constructor(surface: () => Promise<ToolSurface<Request, Response, Item, Message>>) {
    this.#surface = surface;
  }

  async run(input: ToolLoopInput<Request, Response>): Promise<Response> {
    const known = this.#parts;
    if (known) return known.loop.runTools(known.surface, input);
    const kept = { ...input, request: snapshot(input.request) };
    const { loop, surface } = await this.#load(input.operation);
    return loop.runTools(surface, kept);
  }

  stream(input: ToolLoopInput<Request, Response>): ToolStream<Item> {
    const stream: ToolStream<Item> = new ToolStream(input.operation, async () => {
      const kept = this.#parts ? input : { ...input, request: snapshot(input.request) };
      const { loop, surface } = this.#parts ?? (await this.#load(input.operation));
      return () => loop.streamTools(surface, kept, stream);
    });
    return stream;
  }

  async #load(operation: string): Promise<Parts<Request, Response, Item, Message>> {
    const [loop, surface] = await loaded(operation, Promise.all([import('../tool-loop.ts'), this.#surface()]));
    this.#parts = { loop, surface };
    return this.#parts;
  }
}
