/** Finds misspelled fields of a request. The service seems to ignore unknown fields, and answers without them. */
import type { Route } from '../../generated/routes.ts';
import type { Rule } from '../../generated/rules.ts';
import { fieldsOf, isFields } from '../json/json-value.ts';
import { nearestName, unknownName } from '../json/known-fields.ts';
import type { Problem } from '../json/problem.ts';

/**
 * Names that resemble a name of another operation, and are not slips: a program sends one request to several servers, and the service may learn
 * their names.
 */
const foreign: ReadonlySet<string> = new Set(
  [
    // Other operations of the service.
    'encode_format encoding_format file seed size speed style top_k top_n top_p',
    // OpenAI and Anthropic.
    'betas context conversation input_fidelity moderation output_schema outputs store',
    // Engines, gateways and other vendors.
    'max_new_tokens min_tokens models reasoning_format result_format steps top_a xtc_probability',
  ].flatMap((names) => names.split(' ')),
);

/** Fields whose content is free. */
const free: readonly string[] = ['metadata', 'custom_variables'];

/** The part of a route that lists the fields of its requests. */
export type RuledRoute = Pick<Route, 'id' | 'request' | 'rules'>;

/** The problem of the first misspelled field: of the request, or of an object or list of objects in it, such as a message or a tool. */
export function misspelled(route: RuledRoute, body: unknown): Problem | undefined {
  const { properties = {} } = route.rules?.body ?? {};
  const problem = judge([...Object.keys(properties), ...ownNames(route)], most)(body, '');
  if (problem) return problem;
  for (const [name, rule] of Object.entries(properties)) {
    const value = fieldsOf(body)[name];
    if (free.includes(name) || typeof value !== 'object') continue;
    const { properties: inner } = target(target(rule).items ?? rule);
    if (!inner) continue;
    const found = judge([...Object.keys(inner), ...(name === 'messages' && isChat(route) ? ['images'] : [])], mostInside);
    for (const [index, entry] of [value].flat().entries()) {
      const inside = found(entry, value === entry ? `${name}.` : `${name}[${index}].`);
      if (inside) return inside;
    }
  }
  return undefined;
}

/** Returns a function that finds the first misspelled field of an object. It compares each name once, because a list has many objects. */
function judge(known: readonly string[], distance: typeof most): (value: unknown, place: string) => Problem | undefined {
  const fine = new Set<string>();
  return (value, place) => {
    if (!isFields(value)) return undefined;
    for (const [name, field] of Object.entries(value)) {
      // A field without a value is a slip without an effect.
      if (field === undefined || field === null || known.includes(name) || fine.has(name) || foreign.has(name)) continue;
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const near = known.includes(snake) ? snake : nearestName(name, known, distance(name.length));
      if (near !== undefined) return unknownName(place, name, near);
      fine.add(name);
    }
    return undefined;
  };
}

/** The largest distance of a slip from the name that was meant, by the letters of the slip. */
function most(letters: number): number {
  return Math.max(2, Math.ceil(letters / 4));
}

/** Programs keep fields of their own in messages, for instance `note`, so a slip there is closer. */
function mostInside(letters: number): number {
  return letters < 4 ? 0 : Math.ceil(letters / 6);
}

/** Fields that the client replaces before it sends a request. */
function ownNames(route: RuledRoute): readonly string[] {
  if (route.request === 'multipart') return ['filename', 'contentType', 'onProgress'];
  if (isChat(route)) return ['effort', 'stream_tool_call'];
  return /^(anthropic|responses)/.test(route.id) ? ['effort'] : [];
}

function isChat({ id }: RuledRoute): boolean {
  return id.startsWith('chat.');
}

function target(rule: Rule): Rule {
  return rule.$ref ? rule.$ref() : rule;
}
