import type { Attributes } from '@opentelemetry/api';
import { otelSpans } from '../generated/otel.ts';
import type { OperationContent, OperationMeta } from '../overlay/hooks/hook.ts';
import { fieldsOf, listOf, textOf } from '../overlay/json/json-value.ts';

/** The span of an operation, as data. */
export interface SpanShape {
  readonly name: string;
  readonly isClient: boolean;
  /** `gen_ai.operation.name`; empty for a span without a GenAI convention. */
  readonly operation: string;
  /** Attributes of the span's start, which samplers see. */
  readonly attributes: Attributes;
  /** Attributes of the metrics. Each value makes a time series, so none of them may be text that a model chooses. */
  readonly measured: Attributes;
  /** More attributes of the span. */
  readonly details: Attributes;
}

/** The input of `shapeOf` besides the facts of the operation. */
interface ShapeInput {
  readonly provider: string;
  /** Description of the tool of a tool call. Undefined if the request does not declare the tool. */
  readonly description: string | undefined;
  request(): unknown;
}

/** Decides the span of an operation. Undefined for an operation without one. */
export function shapeOf(meta: OperationMeta, content: OperationContent, input: ShapeInput): SpanShape | undefined {
  switch (meta.kind) {
    case 'call':
      return callShape(meta, content, input);
    case 'tools.run':
      return internal('invoke_agent', 'invoke_agent', { 'gen_ai.operation.name': 'invoke_agent' });
    case 'tool.call':
      return toolShape(meta, input.description && content.clean(input.description, 1000));
    default:
      // The wait inside a batch has no span: it would have the name of the batch's span and no other facts.
      return meta.parent?.kind === 'batch.run' ? undefined : internal('', meta.operation);
  }
}

function internal(operation: string, name: string, attributes: Attributes = {}): SpanShape {
  return { name, isClient: false, operation, attributes, measured: attributes, details: {} };
}

function toolShape({ operation: name, toolCallId }: OperationMeta, description: string | undefined): SpanShape {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': 'function' };
  return {
    ...internal('execute_tool', `execute_tool ${name}`, attributes),
    measured: description !== undefined ? attributes : { ...attributes, 'gen_ai.tool.name': '_OTHER' },
    details: { ...(toolCallId && { 'gen_ai.tool.call.id': toolCallId }), ...(description && { 'gen_ai.tool.description': description }) },
  };
}

/** The descriptions of the tools that a request declares, on any surface, by name. */
export function declaredTools(request: unknown): ReadonlyMap<string, string> {
  const tools = listOf(fieldsOf(request)['tools']).map(fieldsOf);
  return new Map(
    tools.map((tool) => ({ ...tool, ...fieldsOf(tool['function']) })).map((tool) => [textOf(tool['name']), textOf(tool['description'])]),
  );
}

function callShape(meta: OperationMeta, content: OperationContent, { provider, request }: ShapeInput): SpanShape | undefined {
  const span = otelSpans[`${meta.method} ${meta.endpoint}`];
  if (!span) return undefined;
  const { operation, output } = span;
  const attributes: Attributes = { 'gen_ai.operation.name': operation, 'gen_ai.provider.name': provider };
  // Only some services have their model in the facts of the operation.
  const model = meta.model || content.clean(textOf(fieldsOf(request())['model']), 128);
  if (model !== '') attributes['gen_ai.request.model'] = model;
  Object.assign(attributes, serverOf(meta.origin));
  const details: Attributes = {};
  if (meta.stream) details['gen_ai.request.stream'] = true;
  if (output !== undefined) details['gen_ai.output.type'] = output;
  return { name: model === '' ? operation : `${operation} ${model}`, isClient: true, operation, attributes, measured: attributes, details };
}

let lastOrigin = '';
let lastServer: Attributes = {};

/** The attributes `server.*` of an origin; none for an empty origin. The last result is kept, because most clients call one host. */
export function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  if (origin === lastOrigin) return lastServer;
  const { hostname, port, protocol } = new URL(origin);
  lastServer = { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': Number(port) || (protocol === 'http:' ? 80 : 443) };
  lastOrigin = origin;
  return lastServer;
}

type Kind = 'number' | 'string';

/** Fields of requests on any surface, and their attributes. */
const parameters: readonly (readonly [field: string, attribute: string, kind: Kind])[] = [
  ['temperature', 'gen_ai.request.temperature', 'number'],
  ['top_p', 'gen_ai.request.top_p', 'number'],
  ['top_k', 'gen_ai.request.top_k', 'number'],
  ['max_tokens', 'gen_ai.request.max_tokens', 'number'],
  ['max_output_tokens', 'gen_ai.request.max_tokens', 'number'],
  ['seed', 'gen_ai.request.seed', 'number'],
  ['frequency_penalty', 'gen_ai.request.frequency_penalty', 'number'],
  ['presence_penalty', 'gen_ai.request.presence_penalty', 'number'],
  ['reasoning_effort', 'gen_ai.request.reasoning.level', 'string'],
  ['dimensions', 'gen_ai.embeddings.dimension.count', 'number'],
  ['agent_id', 'gen_ai.agent.id', 'string'],
];

/** Attributes for the translation of `effort`: the level that the caller asked for, and why the model gets something else. */
export function effortAttributes({ effort }: OperationMeta): Attributes {
  if (!effort) return {};
  return { 'modelsvc.effort.asked': effort.asked, ...(effort.why !== undefined && { 'modelsvc.effort.reason': effort.why }) };
}

/** Attributes for the parameters of a request. Contains no content. */
export function requestAttributes(request: unknown): Attributes {
  const fields = fieldsOf(request);
  const attributes: Attributes = {};
  for (const [field, attribute, kind] of parameters) {
    const value = fields[field];
    if (typeof value === kind) attributes[attribute] = value as string | number;
  }
  const effort = fieldsOf(fields['output_config'] ?? fields['reasoning'])['effort'];
  if (typeof effort === 'string') attributes['gen_ai.request.reasoning.level'] = effort;
  if (typeof fields['n'] === 'number' && fields['n'] !== 1) attributes['gen_ai.request.choice.count'] = fields['n'];
  if (typeof fields['encoding_format'] === 'string') attributes['gen_ai.request.encoding_formats'] = [fields['encoding_format']];
  const stops = [fields['stop'] ?? fields['stop_sequences'] ?? []].flat().filter((stop) => typeof stop === 'string');
  if (stops.length > 0) attributes['gen_ai.request.stop_sequences'] = stops;
  const format = textOf(fieldsOf(fields['response_format'] ?? fieldsOf(fields['text'])['format'])['type']);
  if (format !== '') attributes['gen_ai.output.type'] = format.startsWith('json') ? 'json' : format;
  return attributes;
}
