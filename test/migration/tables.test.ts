import { readdir } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf } from '../docs/fences/compile.ts';
import { cellsOf, textOf } from '../docs/snippets.ts';

/** Rows of every table of a guide, as the code spans of each cell. */
function rowsOf(guide: string): { readonly before: readonly string[]; readonly after: readonly string[] }[] {
  const lines = textOf(`docs/guides/${guide}.md`)
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line));
  const spans = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return lines.map(cellsOf).map(([before, after]) => ({ before: spans(before), after: spans(after) }));
}

const guides = {
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
  const cells = guides.openai.flatMap(({ before }) => before);
  const lines = [
    ...cells.flatMap(methodOf),
    ...cells.flatMap(errorsOf).map((name) => `void errors.${name};`),
    ...cells.flatMap(eventsOf).map((name) => `'${name}' satisfies Event;`),
    ...cells.flatMap(optionOf).flatMap((name) => (notOptions.has(name) ? [] : [`'${name}' satisfies Option;`])),
  ];
  return { head, lines };
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
  const cells = guides.anthropic.flatMap(({ before }) => before);
  const lines = [
    ...cells.flatMap(methodOf),
    ...cells.flatMap(errorsOf).map((name) => `void all.${name};`),
    ...cells.flatMap(eventsOf).map((name) => `'${name}' satisfies Event;`),
    ...cells.flatMap(optionOf).flatMap((name) => (notOptions.has(name) ? [] : [`'${name}' satisfies Option;`])),
  ];
  return { head, lines };
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

const wrongNames: Lines = {
  head: "import OpenAI from 'openai'; const client = new OpenAI(); type Option = keyof NonNullable<ConstructorParameters<typeof OpenAI>[0]>;",
  lines: ['void client.chat.completions.creat;', "'defaultHeader' satisfies Option;", ...new Array(5).keys()].map(String),
};

const modules: Readonly<Record<string, Lines>> = {
  openai: openaiNames(),
  anthropic: anthropicNames(),
  ...Object.fromEntries(Object.entries(guides).map(([name, rows]) => [`right of ${name}`, ownNames(rows)])),
  wrong: wrongNames,
};

// One program for all modules: checking the types of the packages takes most of its time.
const problems = diagnosticsOf(
  Object.entries(modules).map(([file, { head, lines }]) => ({ file, line: 1, code: [head, ...new Set(lines)].join('\n') })),
);

function problemsOf(name: string): string[] {
  expect(modules[name]?.lines.length).toBeGreaterThan(5);
  return problems.filter((one) => one.startsWith(`${name}:`));
}

describe('the left column of the migration tables', () => {
  it('names methods, options and errors of openai', () => {
    expect(problemsOf('openai')).toEqual([]);
  });

  it('names methods, options and errors of @anthropic-ai/sdk', () => {
    expect(problemsOf('anthropic')).toEqual([]);
  });

  it.each([
    ['openai', new OpenAI({ apiKey: 'any' }), guides.openai],
    ['@anthropic-ai/sdk', new Anthropic({ apiKey: 'any' }), guides.anthropic],
  ])('has the defaults of %s', (_name, { timeout, maxRetries }, rows) => {
    const cells = rows.flatMap(({ before }) => before);
    expect([timeout, maxRetries]).toEqual([600_000, 2]);
    expect(cells).toEqual(expect.arrayContaining(['timeout: 600_000', 'maxRetries: 2']));
  });
});

it('a name that does not exist is found', () => {
  expect(problemsOf('wrong')).toHaveLength(2);
});

it('the page of ports lists every port', async () => {
  const files = await Promise.all(
    ['openai', 'anthropic', 'ai'].map(async (name) => (await readdir(new URL(name, import.meta.url))).map((file) => `${name}/${file}`)),
  );
  const ports = [...textOf('docs/internals/ports.md').matchAll(/^\|[^|]+\| `([^`]+)` \|/gm)].map(([, port]) => port);
  expect(ports.sort()).toEqual(files.flat().sort());
});

describe('the right column of the migration tables', () => {
  it.each(Object.keys(guides))('of %s names methods and functions of this package', (name) => {
    expect(problemsOf(`right of ${name}`)).toEqual([]);
  });
});
