import type { ModelRow } from '../../../generated/models.ts';
import type { Rule } from '../../../generated/rules.ts';
import { type Fields, isFields, textOf } from '../../json/json-value.ts';
import { checkFields } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { cleanText } from '../../secrets/clean.ts';
import { check } from '../../validation/validation.ts';

const text: Rule = { type: 'string', minLength: 1 };
const texts: Rule = { type: 'array', items: text };
const tokens: Rule = { type: 'integer', minimum: 1 };
const amount: Rule = { type: 'number', minimum: 0 };
const amounts = { input: amount, output: amount, cached_input: amount };

const fields: { readonly [Name in keyof ModelRow]-?: Rule } = {
  id: text,
  family: text,
  kind: text,
  status: { enum: ['current', 'leaving', 'old'] },
  until: text,
  capabilities: texts,
  context_tokens: tokens,
  max_output_tokens: tokens,
  thinking: { enum: ['always', 'switchable', 'none'] },
  effort: texts,
  effort_checked: { type: 'array', items: { enum: ['platform', 'coding', 'messages', 'responses'] } },
  plan_model: text,
  credits: { type: 'object', required: ['input', 'output', 'cached_input'], properties: amounts },
  price: { type: 'object', properties: amounts },
  item_price: { type: 'object', required: ['usd', 'item'], properties: { usd: amount, item: text } },
  evidence: { enum: ['recorded', 'documented', 'reported', 'sdk-only', 'unconfirmed'] },
  source: texts,
  as_of: { type: 'string', pattern: /^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/ },
};
const row: Rule = { type: 'object', required: ['id'], properties: fields };

/** The rows of `Config.models` by id, checked and copied. Throws a Problem that names the row and the field. */
export function modelRows(given: unknown): ReadonlyMap<string, ModelRow> {
  const rows = new Map<string, ModelRow>();
  if (given === undefined) return rows;
  if (!Array.isArray(given)) throw new Problem('models', 'must be an array of rows, each with at least { id }');
  for (const [index, one] of given.entries()) {
    const place = `models[${index}]`;
    const copy = plainCopy(one, place);
    try {
      if (copy['id'] === undefined) throw new Problem('id', 'is required');
      checkRow(copy);
      if (rows.has(copy.id)) throw new Problem('id', `is also the id of models[${[...rows.keys()].indexOf(copy.id)}]`);
    } catch (error) {
      throw error instanceof Problem ? inRow(error, place, textOf(copy['id'])) : error;
    }
    rows.set(copy.id, copy);
  }
  return rows;
}

/** A row of a long table is found by its id rather than by its index. */
function inRow({ path, text: rule }: Problem, place: string, id: string): Problem {
  return new Problem(path === '' ? place : `${place}.${path}`, id === '' ? rule : `of ${cleanText(id, [], 64)} ${rule}`);
}

function checkRow(given: Fields): asserts given is Fields & ModelRow {
  checkNames(given, fields, '');
  for (const [name, { properties }] of Object.entries(fields)) if (properties && isFields(given[name])) checkNames(given[name], properties, name);
  check(row, given);
}

function checkNames(given: Fields, known: Readonly<Record<string, Rule>>, place: string): void {
  checkFields(given, known, place);
  const empty = Object.keys(given).find((name) => given[name] === null);
  if (empty !== undefined) throw new Problem(place === '' ? empty : `${place}.${empty}`, 'must not be null: leave the field out');
}

/** A copy, so that later changes by the caller have no effect. An undefined field would hide the built-in row's. */
function plainCopy(given: unknown, place: string): Fields {
  if (!isFields(given)) throw new Problem(place, 'must be an object with at least { id }');
  try {
    return Object.fromEntries(Object.entries(structuredClone(given)).filter(([, value]) => value !== undefined));
  } catch {
    throw new Problem(place, 'must be plain data');
  }
}
