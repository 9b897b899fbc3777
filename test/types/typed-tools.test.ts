import type { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import type { McpClient } from '../../src/mcp/index.ts';
import {
  type AnthropicMessage,
  type AnthropicReply,
  type AnthropicStreamEvent,
  type ChatChunk,
  type ChatResponse,
  type Client,
  defineTool,
  type EventStream,
  type Message,
  type OutputFormat,
  outputFormat,
  type ResponsesReply,
  type ToolCallContext,
  type ToolDecision,
  type ToolLoopOptions,
  type TypedTool,
  toolRun,
} from '../../src/overlay/index.ts';
import type { Chat } from '../../src/services/index.ts';
import type { AnswerStream, DeepPartial, GrowingAnswer, Received, ResponsesStreamEvent, ToolRoundCall } from '../../src/types/index.ts';

describe('types of tools', () => {
  const common = { name: 'x', description: '' };

  it('stopWhen gets the usage of its surface', () => {
    type Asked<Response> = Parameters<NonNullable<ToolLoopOptions<Response>['stopWhen']>>[0]['usage'];
    expectTypeOf<Asked<ChatResponse>>().toEqualTypeOf<ChatResponse['usage'] | undefined>();
    expectTypeOf<Asked<AnthropicReply>>().toEqualTypeOf<AnthropicReply['usage'] | undefined>();
    expectTypeOf<Asked<ResponsesReply>>().toEqualTypeOf<ResponsesReply['usage'] | undefined>();
  });

  it('run receives what the schema gives', () => {
    defineTool({
      ...common,
      input: z.object({ city: z.string(), at: z.string().transform((text) => new Date(text)), days: z.number().default(1) }),
      run: (input, call) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string; at: Date; days: number }>();
        expectTypeOf(call).toEqualTypeOf<ToolCallContext>();
      },
    });
    defineTool({
      ...common,
      input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number | undefined }>(),
    });
    defineTool({
      ...common,
      input: { schema: v.object({ city: v.string() }), jsonSchema: { type: 'object' } },
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string }>(),
    });
    defineTool({ ...common, input: type({ city: 'string' }), run: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string }>() });
    defineTool({
      ...common,
      input: { type: 'object', properties: { city: { type: 'string' } } },
      run: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
    });
  });

  it('run receives the type of a zod mini, zod 3 or typebox schema', () => {
    const short = mini.object({ city: mini.string(), days: mini.optional(mini.number()) });
    type Short = { city: string; days?: number | undefined };
    defineTool({ ...common, input: z.toJSONSchema(short), run: (input) => expectTypeOf(input).toEqualTypeOf<Short>() });
    defineTool({
      ...common,
      input: { schema: short, jsonSchema: z.toJSONSchema(short, { io: 'input' }) },
      run: (input) => expectTypeOf(input).toEqualTypeOf<Short>(),
    });
    defineTool({
      ...common,
      input: { schema: z3.object({ city: z3.string() }), jsonSchema: { type: 'object' } },
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string }>(),
    });
    const trip = Type.Object({
      city: Type.String(),
      days: Type.Optional(Type.Integer()),
      unit: Type.Enum(['C', 'F']),
      kind: Type.Union([Type.Literal('a'), Type.Null()]),
      stops: Type.Array(Type.Object({ name: Type.String(), open: Type.Boolean() })),
    });
    defineTool({ ...common, input: trip, run: (input) => expectTypeOf(input).toEqualTypeOf<Type.Static<typeof trip>>() });
    expectTypeOf(outputFormat(trip).parse).returns.resolves.toEqualTypeOf<Type.Static<typeof trip>>();
    defineTool({ ...common, input: Type.Object({ pair: Type.Tuple([Type.String()]) }), run: ({ pair }) => expectTypeOf(pair).toBeUnknown() });
  });

  it('a schema that gives no JSON Schema is refused', () => {
    // @ts-expect-error zod mini needs z.toJSONSchema
    expectTypeOf(() => defineTool({ ...common, input: mini.object({ city: mini.string() }), run: () => '' })).toBeFunction();
    // @ts-expect-error zod 3 has no JSON Schema
    expectTypeOf(() => defineTool({ ...common, input: z3.object({ city: z3.string() }), run: () => '' })).toBeFunction();
    // @ts-expect-error the same for a format
    expectTypeOf(() => outputFormat(z3.object({ city: z3.string() }))).toBeFunction();
    // @ts-expect-error valibot needs its converter
    expectTypeOf(() => defineTool({ ...common, input: v.object({ city: v.string() }), run: () => '' })).toBeFunction();
    // @ts-expect-error a tool has to run
    expectTypeOf(() => defineTool({ ...common, input: z.object({}) })).toBeFunction();
  });

  it('tools of different inputs fit in one list', () => {
    const a = defineTool({ ...common, input: z.object({ a: z.string() }), run: ({ a }) => a });
    const b = defineTool({ ...common, input: z.object({ b: z.number() }), run: ({ b }) => b });
    expectTypeOf([a, b]).toExtend<readonly TypedTool[]>();
    expectTypeOf(a.run).parameter(0).toEqualTypeOf<{ a: string }>();
  });

  it('the loop takes an executor or tools, and gives back what create gives', () => {
    const use = (client: Client, tools: readonly TypedTool[]): void => {
      const request = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
      const run = client.chat().runWithTools(undefined, request, (name, args, call) => {
        expectTypeOf(name).toEqualTypeOf<string>();
        expectTypeOf(args).toEqualTypeOf<string>();
        expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
        return '';
      });
      expectTypeOf(run).toEqualTypeOf<Promise<Received<ChatResponse>>>();
      expectTypeOf<Parameters<Chat['runWithToolsLimit']>[3]>().toEqualTypeOf<number>();
      const stream = client.chat().streamWithTools(undefined, request, tools);
      expectTypeOf(stream.next()).resolves.toEqualTypeOf<IteratorResult<ChatChunk, undefined>>();
      expectTypeOf(toolRun(stream)?.response).toEqualTypeOf<ChatResponse | undefined>();
      const events = client.anthropic().streamWithTools(undefined, { ...request, max_tokens: 1 }, tools);
      expectTypeOf(events.next()).resolves.toEqualTypeOf<IteratorResult<AnthropicStreamEvent, undefined>>();
      expectTypeOf(toolRun(events)?.response).toEqualTypeOf<AnthropicReply | undefined>();
      // @ts-expect-error an executor gives text
      client.chat().runWithTools(undefined, request, () => 7);
    };
    expectTypeOf(use).toBeFunction();
    expectTypeOf((response: ChatResponse) => toolRun(response)?.transcript).returns.toEqualTypeOf<Message[] | undefined>();
    expectTypeOf((reply: AnthropicReply) => toolRun(reply)?.transcript).returns.toEqualTypeOf<AnthropicMessage[] | undefined>();
  });

  it('a call has the input of its tool, by the name', () => {
    const weather = defineTool({ name: 'weather', input: z.object({ city: z.string() }), run: ({ city }) => city });
    const remove = defineTool({ name: 'remove', input: z.object({ path: z.string(), force: z.boolean() }), run: () => 'removed' });
    const use = (client: Client): void => {
      const request = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
      const decide = (call: ToolRoundCall<readonly (typeof weather | typeof remove)[]>): ToolDecision => {
        if (call.problem !== undefined) {
          expectTypeOf(call.input).toEqualTypeOf<undefined>();
          expectTypeOf(call.problem).toEqualTypeOf<string>();
        } else if (call.name === 'weather') expectTypeOf(call.input).toEqualTypeOf<{ city: string }>();
        else expectTypeOf(call.input).toEqualTypeOf<{ path: string; force: boolean }>();
        return call.name === 'remove' && call.input?.force === true ? { deny: 'no force' } : 'allow';
      };
      const ended = (end: { readonly name: string; readonly text: string }): void => void end;
      client.chat().runWithTools(undefined, request, [weather, remove], { onRound: ({ calls }) => calls.map(decide), onToolEnd: ended });
      client.chat().runWithToolsLimit(undefined, request, [weather, remove], 2, {
        onRound: ({ calls }) => calls.map((call) => (call.name === 'remove' && call.input?.path === '/' ? { deny: 'never' } : 'allow')),
      });
      client.chat().streamWithTools(undefined, request, [weather, remove], { onRound: ({ calls }) => calls.map(decide) });
      const message = { ...request, max_tokens: 1 };
      client.anthropic().runWithTools(undefined, message, [weather, remove], { onRound: ({ calls }) => calls.map(decide) });
      client.anthropic().streamWithTools(undefined, message, [weather, remove], { onRound: ({ calls }) => calls.map(decide) });
      const response = { model: 'm', input: 'x' };
      client.responses().runWithTools(undefined, response, [weather, remove], { onRound: ({ calls }) => calls.map(decide) });
      client.responses().streamWithTools(undefined, response, [weather, remove], {
        onRound: ({ calls }) => calls.map(decide),
        onToolEnd: (end) => {
          if (end.name === 'weather') expectTypeOf(end.input?.city).toEqualTypeOf<string | undefined>();
          // @ts-expect-error a field of the other tool
          if (end.name === 'weather') end.input?.path;
          expectTypeOf(end.durationMs).toEqualTypeOf<number>();
        },
      });
      client.chat().runWithTools(undefined, request, () => '', {
        onRound: ({ calls: [call] }) => {
          expectTypeOf(call?.input).toEqualTypeOf<string | undefined>();
        },
      });
      const options: ToolLoopOptions<ChatResponse> = { onRound: ({ calls }) => calls.map(({ input }) => expectTypeOf(input).toBeUnknown() as never) };
      client.chat().runWithTools(undefined, request, [weather, remove], options);
      const mixed: readonly TypedTool[] = [weather, remove];
      client
        .chat()
        .runWithTools(undefined, request, mixed, { onRound: ({ calls }) => calls.map((call) => (call.input === 1 ? 'allow' : undefined)) });
    };
    expectTypeOf(use).toBeFunction();
  });

  it('approve of a tool gets what run gets, and decides', () => {
    const schema = z.object({ path: z.string() });
    defineTool({
      name: 'remove',
      input: schema,
      run: () => '',
      approve: (input, call) => {
        expectTypeOf(input).toEqualTypeOf<{ path: string }>();
        expectTypeOf(call).toEqualTypeOf<ToolCallContext>();
        return input.path.startsWith('/tmp/');
      },
    });
    const asked = async (path: string) => (path === '/' ? { deny: 'never' } : 'allow');
    defineTool({ name: 'remove', input: schema, run: () => '', approve: ({ path }) => asked(path) });
    // @ts-expect-error a forgotten return is not an approval
    defineTool({ name: 'remove', input: schema, run: () => '', approve: ({ path }) => void asked(path) });
    const tool = defineTool({ name: 'remove', input: schema, run: () => '', approve: undefined });
    expectTypeOf(tool).toEqualTypeOf<TypedTool<{ path: string }, 'remove'>>();
    expectTypeOf(defineTool<typeof schema>({ name: 'remove', input: schema, run: () => '' })).toEqualTypeOf<TypedTool<{ path: string }>>();
  });

  it('structured output has the type of the schema', () => {
    expectTypeOf(outputFormat(z.object({ n: z.number() })).parse).returns.resolves.toEqualTypeOf<{ n: number }>();
    expectTypeOf(outputFormat(type({ n: 'number' })).parse).returns.resolves.toEqualTypeOf<{ n: number }>();
  });

  it('a growing value has the type of the schema before it validates, and may lack anything', () => {
    const shape = { mood: z.enum(['good', 'bad']), at: z.string().transform((text) => new Date(text)), stops: z.array(z.object({ n: z.number() })) };
    const use = async (client: Client): Promise<void> => {
      const growing = outputFormat(z.object(shape)).partial(client.chat().stream(undefined, { model: 'm', messages: [] }));
      type Whole = { mood: 'good' | 'bad'; at: Date; stops: { n: number }[] };
      expectTypeOf(growing.value).returns.resolves.toEqualTypeOf<Whole>();
      for await (const step of growing) {
        expectTypeOf(step).toEqualTypeOf<DeepPartial<z.input<z.ZodObject<typeof shape>>> | Whole>();
        expectTypeOf(step.mood).toEqualTypeOf<string | undefined>();
        expectTypeOf(step.at).toEqualTypeOf<string | Date | undefined>();
        expectTypeOf(step.stops?.[0]?.n).toEqualTypeOf<number | undefined>();
      }
    };
    expectTypeOf(use).toBeFunction();
    expectTypeOf<DeepPartial<{ a: [string, number]; b: (string | null)[]; c: unknown; d: Record<string, boolean> }>>().toEqualTypeOf<{
      a?: [string?, number?];
      b?: (string | null)[];
      c?: unknown;
      d?: Record<string, boolean | undefined>;
    }>();
    const format = outputFormat(type({ n: 'number' }));
    expectTypeOf(format.partial).parameter(0).toEqualTypeOf<AnswerStream>();
    expectTypeOf<EventStream<ChatChunk> | EventStream<AnthropicStreamEvent> | EventStream<ResponsesStreamEvent>>().toExtend<AnswerStream>();
    expectTypeOf(outputFormat({}).partial).returns.toEqualTypeOf<GrowingAnswer<Record<string, unknown>, Record<string, unknown>>>();
    // A format whose values change their type fits where only the output matters.
    expectTypeOf(outputFormat(z.object(shape))).toExtend<OutputFormat<{ mood: string; at: Date; stops: { n: number }[] }>>();
    // @ts-expect-error a response is not a stream
    expectTypeOf((reply: ChatResponse) => format.partial(reply)).toBeFunction();
  });

  it("the client of MCP's own package fits", () => {
    expectTypeOf<SdkClient>().toExtend<McpClient>();
  });
});
