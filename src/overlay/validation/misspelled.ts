/** Finds misspelled fields of a request. The service ignores fields that it does not know, and answers without them. */
import type { Route } from '../../generated/routes.ts';
import type { Rule } from '../../generated/rules.ts';
import { fieldsOf, isFields } from '../errors/json-value.ts';
import { nearestName, unknownName } from '../errors/known-fields.ts';
import type { Problem } from '../errors/problem.ts';

/**
 * Names that resemble a name of another operation, and are no slips: a program sends one request to several servers, and the service may learn
 * their names.
 */
const foreign: ReadonlySet<string> = new Set(
  [
    // Other operations of the service.
    'async_id contentType content_size encode_format encoding_format file file_id return_documents return_format response_format seed',
    'size speed style top_k top_n top_p voice_name',
    // OpenAI and Anthropic.
    'betas context conversation input_fidelity moderation output_format output_schema outputs prompt_cache_retention store truncation',
    // Engines, gateways and other vendors.
    'custom_params image_data include_domains max_new_tokens min_tokens models reasoning_budget reasoning_format result_format search_options',
    'search_settings steps stop_words top_a xtc_probability',
  ].flatMap((names) => names.split(' ')),
);

/** Fields whose content is free. */
const free: readonly string[] = ['metadata', 'custom_variables'];

/** The part of a route that lists the fields of its requests. */
export type RuledRoute = Pick<Route, 'id' | 'request' | 'rules'>;

/** The problem of the first misspelled field: of the request, or of an object or list of objects in it, such as a message or a tool. */
export function misspelled(route: RuledRoute, body: unknown): Problem | undefined {
  const { properties = {} } = route.rules?.body ?? {};
  const problem = misspelledIn(body, [...Object.keys(properties), ...ownNames(route)], nearestName, '');
  if (problem) return problem;
  for (const [name, rule] of Object.entries(properties)) {
    const value = fieldsOf(body)[name];
    if (free.includes(name) || typeof value !== 'object') continue;
    const { properties: inner } = target(target(rule).items ?? rule);
    if (!inner) continue;
    const names = Object.keys(inner);
    if (name === 'messages' && route.id.startsWith('chat.')) names.push('images');
    for (const [index, entry] of (Array.isArray(value) ? value : [value]).entries()) {
      const found = misspelledIn(entry, names, closeName, Array.isArray(value) ? `${name}[${index}].` : `${name}.`);
      if (found) return found;
    }
  }
  return undefined;
}

function misspelledIn(value: unknown, known: readonly string[], nearest: typeof nearestName, place: string): Problem | undefined {
  if (!isFields(value)) return undefined;
  for (const [name, field] of Object.entries(value)) {
    // A field without a value is a slip without an effect.
    if (field === undefined || field === null || known.includes(name) || foreign.has(name)) continue;
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const near = known.includes(snake) ? snake : nearest(name, known);
    if (near !== undefined) return unknownName(place, name, near);
  }
  return undefined;
}

/** Programs keep fields of their own in messages, for instance `note`, so a name there must be closer. */
function closeName(name: string, known: readonly string[]): string | undefined {
  return name.length < 4 ? undefined : nearestName(name, known, Math.ceil(name.length / 6));
}

/** Fields that the client replaces before it sends a request. */
function ownNames({ id, request }: RuledRoute): readonly string[] {
  if (request === 'multipart') return ['filename', 'contentType', 'onProgress'];
  if (id.startsWith('chat.')) return ['effort', 'stream_tool_call'];
  return /^(anthropic|responses)\./.test(id) ? ['effort'] : [];
}

function target(rule: Rule): Rule {
  return rule.$ref ? rule.$ref() : rule;
}
