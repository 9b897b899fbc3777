// Errors of ajv as differences and news.
import { fieldsOf } from '../../../src/overlay/json/json-value.ts';
import { namesOf } from '../../../src/overlay/json/pointer.ts';
import { placeholder } from '../../../src/testing/exchanges/redaction.ts';
import { type ExchangeFinding, shown, shownName, typeText } from './finding.ts';
import { openKeyword, placeKeyword, type SchemaNode, type StrictSchemas } from './strict-schema.ts';
import type { SchemaError } from './validators.ts';

export type Difference = Pick<ExchangeFinding, 'kind' | 'place' | 'expected' | 'seen' | 'rule'>;

/** Errors that count for a placeholder: it replaces a text that is not a word of the document. `<removed>` may replace any value. */
const kept: readonly string[] = ['type', 'enum', 'const', 'discriminator'];

/** The differences of the value at `root`, for instance `response.body`. */
export function differencesOf(errors: readonly SchemaError[], root: string, strict: StrictSchemas): Difference[] {
  const unions = new Set(errors.filter(({ keyword }) => unionKeywords.includes(keyword)).map(placeOf));
  const broken = brokenPlaces(errors);
  const ofOtherType = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  return errors.flatMap((error) => {
    const { keyword, data, instancePath, parentSchema = {} } = error;
    if (keyword === 'if' || data === '<removed>' || (isPlaceholder(data) && !kept.includes(keyword))) return [];
    if (keyword === 'enum' && openKeyword in parentSchema && (root.startsWith('request') || isCode(error))) return [];
    // A value of another type is one difference, and so is one that fits no branch of a union.
    if (keyword !== 'type' && ofOtherType.has(instancePath)) return [];
    if (!unionKeywords.includes(keyword) && unionKeywords.some((one) => unions.has(placeOf({ instancePath, schemaPath: aboveOf(error, one) }))))
      return [];
    return isEcho(error, broken, strict) ? [] : [differenceOf(error, root)];
  });
}

const unionKeywords: readonly string[] = ['anyOf', 'oneOf'];

function placeOf({ instancePath, schemaPath }: Pick<SchemaError, 'instancePath' | 'schemaPath'>): string {
  return `${instancePath} ${schemaPath}`;
}

/** The path of the schema up to a union of this keyword. */
function aboveOf({ schemaPath }: SchemaError, keyword: string): string {
  const end = schemaPath.lastIndexOf(`/${keyword}/`);
  return end < 0 ? '' : schemaPath.slice(0, end + keyword.length + 1);
}

/** Every place with an error at it or below it, except for an unknown field. */
function brokenPlaces(errors: readonly SchemaError[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { keyword, instancePath } of errors) {
    if (keyword === 'unevaluatedProperties') continue;
    for (let at = instancePath; !places.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) places.add(at);
  }
  return places;
}

/** The message surface has business codes as types of errors; they are judged as codes. */
function isCode({ instancePath, data }: SchemaError): boolean {
  return instancePath.endsWith('/error/type') && /^\d{3,4}$/.test(String(data));
}

/** A branch that fails declares no fields: its known ones would count as new. */
function isEcho({ keyword, instancePath, parentSchema, params }: SchemaError, broken: ReadonlySet<string>, strict: StrictSchemas): boolean {
  if (keyword !== 'unevaluatedProperties' || !broken.has(instancePath)) return false;
  return strict.names(parentSchema).has(String(params['unevaluatedProperty']));
}

function differenceOf({ keyword, instancePath, params, parentSchema, data, message }: SchemaError, root: string): Difference {
  const schema: SchemaNode = parentSchema ?? {};
  const place = placeText(root, instancePath);
  const rule = ruleOf(schema);
  const at = (name: unknown): string => `${place}.${shownName(String(name))}`;
  switch (keyword) {
    case 'unevaluatedProperties':
    case 'additionalProperties': {
      const name = params[keyword === 'additionalProperties' ? 'additionalProperty' : 'unevaluatedProperty'];
      return { kind: 'new', place: at(name), expected: 'no such field', seen: typeText(fieldsOf(data)[String(name)]), rule };
    }
    case 'required': {
      const name = String(params['missingProperty']);
      return { kind: 'differs', place: at(name), expected: 'the field', seen: 'nothing', rule: rule && `${rule}/properties/${name}` };
    }
    case 'discriminator':
      return { kind: 'new', place: at(params['tag']), expected: 'a documented word', seen: shown(params['tagValue']), rule };
    case 'enum':
      return { kind: 'new', place, expected: `one of ${wordsOf(params['allowedValues'])}`, seen: shown(data), rule };
    case 'const':
      return { kind: 'differs', place, expected: shown(params['allowedValue']), seen: shown(data), rule };
    case 'type':
      return { kind: 'differs', place, expected: [params['type']].flat().join(' or '), seen: typeText(data), rule };
    default:
      return { kind: 'differs', place, expected: message ?? keyword, seen: typeText(data), rule };
  }
}

/** The component that a schema refers to, or its own place. */
function ruleOf({ $ref: ref, [placeKeyword]: place }: SchemaNode): string | undefined {
  if (typeof ref === 'string') return ref.replace('spec#/$defs/', '#/components/schemas/');
  return typeof place === 'string' ? place : undefined;
}

function wordsOf(values: unknown): string {
  return (Array.isArray(values) ? values : []).filter((one) => one !== null).join(', ');
}

/** `/choices/0/delta` as `choices[].delta`: equal differences of several items are one. */
function placeText(root: string, pointer: string): string {
  return (
    root +
    namesOf(pointer)
      .map((name) => (/^\d+$/.test(name) ? '[]' : `.${shownName(name)}`))
      .join('')
  );
}

export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && placeholder.test(value);
}
