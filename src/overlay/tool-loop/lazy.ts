import { Part } from '../part.ts';
import { snapshot } from '../snapshot.ts';
import type { ToolLoopInput } from '../tool-loop.ts';
import type { ToolSurface } from './surface.ts';
import { ToolStream } from './tool-stream.ts';

interface Parts<Request, Response extends object, Item, Message> extends Pick<typeof import('../tool-loop.ts'), 'runTools' | 'streamTools'> {
  readonly surface: ToolSurface<Request, Response, Item, Message>;
}

/** The tool runs of one surface. The loop, and what it knows of the surface, are loaded at the first of them. */
export class ToolRuns<Request, Response extends object, Item, Message> {
  readonly #parts: Part<Parts<Request, Response, Item, Message>>;

  constructor(surface: () => Promise<ToolSurface<Request, Response, Item, Message>>) {
    this.#parts = new Part(async () => {
      const [{ runTools, streamTools }, known] = await Promise.all([import('../tool-loop.ts'), surface()]);
      return { runTools, streamTools, surface: known };
    });
  }

  async run(input: ToolLoopInput<Request, Response>): Promise<Response> {
    const kept = this.#kept(input);
    const { runTools, surface } = this.#parts.here ?? (await this.#parts.load(input.operation));
    return runTools(surface, kept);
  }

  stream(input: ToolLoopInput<Request, Response>): ToolStream<Item> {
    const stream: ToolStream<Item> = new ToolStream(input.operation, async () => {
      const kept = this.#kept(input);
      const { streamTools, surface } = this.#parts.here ?? (await this.#parts.load(input.operation));
      return () => streamTools(surface, kept, stream);
    });
    return stream;
  }

  #kept(input: ToolLoopInput<Request, Response>): ToolLoopInput<Request, Response> {
    return this.#parts.here ? input : { ...input, request: snapshot(input.request) };
  }
}
