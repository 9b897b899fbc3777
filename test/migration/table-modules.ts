import { cellsOf, type Snippet, textOf } from '../docs/snippets.ts';

/** Rows of every table of a guide, as the code spans of each cell. */
function rowsOf(guide: string): { readonly before: readonly string[]; readonly after: readonly string[] }[] {
  const lines = textOf(`docs/guides/${guide}.md`)
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line));
  const spans = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return lines.map(cellsOf).map(([before, after]) => ({ before: spans(before), after: spans(after) }));
}

export const guides = {
  openai: rowsOf('migrating-from-openai'),
  anthropic: rowsOf('migrating-from-anthropic'),
  ai: rowsOf('migrating-from-ai'),
};

/** The method of a call such as `client.files.create({ file })`. */
const methodOf = (code: string): string[] => {
  const [, method] = /^(client(?:\.\w+)+)/.exec(code) ?? [];
  return method ? [`void ${method};`] : [];
};
/** The events of `.on('content', f)`. */
const eventsOf = (code: string): string[] => [...code.matchAll(/\.on\('([\w.]+)'/g)].map(([, name = '']) => name);
const errorsOf = (code: string): string[] => [...code.matchAll(/^\w+Error$/g)].map(([name]) => name);
/** The option of `maxRetries: 2`, `{ signal }` or `defaultHeaders`. */
const optionOf = (code: string): string[] => [...code.matchAll(/^(?:\{ )?([a-z]\w*)(?::.*| \})?$/g)].map(([, name = '']) => name);

/** Words of the left columns that are values, words of JavaScript, or fields of a tool. */
const notOptions = new Set(['openai', 'developer', 'url', 'endpoint', 'json_schema', 'strict', 'error', 'break', 'function', 'parsed']);

/** A module that compiles only if every one of these lines does. */
interface Lines {
  readonly head: string;
  readonly lines: readonly string[];
}

/** The names in the left column of a guide. Its classes of errors are in `errors`. */
function linesOf(rows: ReturnType<typeof rowsOf>, errors: string): string[] {
  const cells = rows.flatMap(({ before }) => before);
  return [
    ...cells.flatMap(methodOf),
    ...cells.flatMap(errorsOf).map((name) => `void ${errors}.${name};`),
    ...cells.flatMap(eventsOf).map((name) => `'${name}' satisfies Event;`),
    ...cells.flatMap(optionOf).flatMap((name) => (notOptions.has(name) ? [] : [`'${name}' satisfies Option;`])),
  ];
}

function openaiNames(): Lines {
  const head = [
    "import OpenAI, * as all from 'openai';",
    "import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/core/error';",
    "import type { ChatCompletionCreateParams as Body } from 'openai/resources/chat/completions';",
    "import type { ResponseCreateParams } from 'openai/resources/responses/responses';",
    "import type * as zodHelpers from 'openai/helpers/zod';",
    "import type * as audioHelpers from 'openai/helpers/audio';",
    "import type { ChatCompletionStreamEvents } from 'openai/lib/ChatCompletionStream';",
    "import type { ChatCompletionRunnerEvents } from 'openai/lib/ChatCompletionRunner';",
    "import type { ParsedFunction } from 'openai/resources/chat/completions';",
    "type Event = keyof ChatCompletionStreamEvents | keyof ChatCompletionRunnerEvents | OpenAI.Responses.ResponseStreamEvent['type'];",
    'type Reply = OpenAI.Chat.ChatCompletionChunk.Choice | ParsedFunction | OpenAI.Responses.Response;',
    'type KeysOf<T> = T extends unknown ? keyof T : never;',
    'const client = new OpenAI();',
    'const errors = { ...all, ContentFilterFinishReasonError, LengthFinishReasonError };',
    'type Option = keyof NonNullable<ConstructorParameters<typeof OpenAI>[0]> | keyof NonNullable<Parameters<typeof client.chat.completions.create>[1]> | keyof Body | keyof ResponseCreateParams | keyof typeof client.responses | keyof typeof zodHelpers | keyof typeof audioHelpers | KeysOf<Reply>;',
  ].join(' ');
  return { head, lines: linesOf(guides.openai, 'errors') };
}

function anthropicNames(): Lines {
  const head = [
    "import Anthropic, * as all from '@anthropic-ai/sdk';",
    "import type * as schemaHelpers from '@anthropic-ai/sdk/helpers/beta/json-schema';",
    "import type * as jsonHelpers from '@anthropic-ai/sdk/helpers/json-schema';",
    "import type * as zodHelpers from '@anthropic-ai/sdk/helpers/zod';",
    "import type * as memoryHelpers from '@anthropic-ai/sdk/helpers/beta/memory';",
    "import type { MessageStreamEvents } from '@anthropic-ai/sdk/lib/MessageStream';",
    'const client = new Anthropic();',
    'type Event = keyof MessageStreamEvents;',
    'type Body = Anthropic.MessageCreateParams | Anthropic.Beta.MessageCreateParams | Anthropic.ToolUnion;',
    'type KeysOf<T> = T extends unknown ? keyof T : never;',
    "type Helper = keyof typeof all | keyof typeof schemaHelpers | keyof typeof memoryHelpers | keyof typeof jsonHelpers | keyof typeof zodHelpers | Anthropic.WebSearchTool20250305['type'] | Anthropic.DocumentBlockParam['type'];",
    "type Option = keyof NonNullable<ConstructorParameters<typeof Anthropic>[0]> | keyof Anthropic.RequestOptions | '_request_id' | KeysOf<Body> | Helper;",
  ].join(' ');
  return { head, lines: linesOf(guides.anthropic, 'all') };
}

/** The methods and functions of this package in the right column. */
function ownNames(rows: ReturnType<typeof rowsOf>): Lines {
  const cells = rows.flatMap(({ after }) => after).filter((code) => !/^modelsvc/.test(code));
  const lines = cells.flatMap((code) => [
    ...[...code.matchAll(/\bc\.\w+\(\)\.\w+/g)].map(([method]) => `void ${method};`),
    ...[...code.matchAll(/(?<![.\w])(?!new\b|f\b|pipeline\b|createWriteStream\b|run\b)([a-z]\w+)\(/g)]
      // A bare method name, such as `runWithTools(…)`, is one of chat or of its stream.
      .map(([, called = '']) => `void { ...all, ...bare }.${called};`),
  ]);
  const head =
    "import * as main from 'modelsvc'; import * as debug from 'modelsvc/debug'; import * as mcp from 'modelsvc/mcp'; import * as node from 'modelsvc/node'; import * as observe from 'modelsvc/observe'; import * as testing from 'modelsvc/testing'; const all = { ...main, ...debug, ...mcp, ...node, ...observe, ...testing }; const c = all.newClient({ apiKey: 'any' }); const { runWithTools, runWithToolsLimit } = c.chat(); const bare = { runWithTools, runWithToolsLimit, response: () => all.collecting(c.chat().stream(undefined, { model: 'any', messages: [] })).response };";
  return { head, lines };
}

const columns: Readonly<Record<string, Lines>> = {
  openai: openaiNames(),
  anthropic: anthropicNames(),
  ...Object.fromEntries(Object.entries(guides).map(([name, rows]) => [`right of ${name}`, ownNames(rows)])),
};

export const tableModules: readonly Snippet[] = Object.entries(columns).map(([file, { head, lines }]) => {
  const distinct = [...new Set(lines)];
  if (distinct.length <= 5) throw new Error(`the column ${file} has only ${distinct.length} names`);
  return { file, line: 1, code: [head, ...distinct].join('\n') };
});
