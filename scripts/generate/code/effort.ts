import { isDeepStrictEqual } from 'node:util';
import type { FileRow } from '../document/models.ts';
import { banner, isObject, type JsonObject, type Source } from '../document/source.ts';

interface EffortClass {
  readonly of: { readonly thinking: string; readonly effort?: true; readonly family?: string };
  readonly chat: { readonly [wish: string]: { readonly send: JsonObject } };
}

/** Refuse a row without a class, a class without a row, and a class that sends a field which one of its rows refuses. */
function checkClasses(source: Source, rows: readonly FileRow[], words: readonly string[], classes: readonly EffortClass[]): void {
  const used = new Set<EffortClass>();
  for (const [index, { id, thinking, effort, effort_checked: checked, family, plan_model: plan }] of rows.entries()) {
    const strange = effort?.find((word) => !words.includes(word));
    if (strange !== undefined) throw source.error(['models', index, 'effort'], `${strange} is not among the words of effort`);
    if (plan !== undefined && !rows.some((row) => row.id === plan)) throw source.error(['models', index, 'plan_model'], `${plan} has no row`);
    if (thinking === undefined) continue;
    const at = classes.findIndex(
      ({ of }) => of.thinking === thinking && (!of.effort || effort !== undefined) && (of.family === undefined || of.family === family),
    );
    const found = classes[at];
    if (!found) throw source.error(['models', index, 'thinking'], `${id} has no class in effort`);
    used.add(found);
    if (!checked?.includes('platform')) continue;
    for (const [name, { send: fields }] of Object.entries(found.chat)) {
      const { thinking: given, reasoning_effort: word = 'WORD' } = fields;
      const isOn = given === undefined || (isObject(given) && given['type'] === 'enabled');
      if (!isOn || (word !== 'WORD' && !effort?.includes(String(word))))
        throw source.error(['effort', 'classes', at, 'chat', name], `${id} refuses it`);
    }
  }
  const unused = classes.findIndex((one) => !used.has(one));
  if (unused >= 0) throw source.error(['effort', 'classes', unused, 'of'], 'no model has this class');
}

/** The row of the longest other id that this one begins with, as the client finds it. */
function familyRow(id: string, rows: readonly [id: string, row: JsonObject][]): JsonObject | undefined {
  const known = rows.filter(([other]) => id !== other && id.startsWith(other) && '-.:['.includes(id[other.length] ?? ' '));
  return known.sort(([one], [other]) => other.length - one.length)[0]?.[1];
}

/** True if the client finds the same columns without the row. */
function repeats(row: JsonObject, family: JsonObject | undefined): boolean {
  const { plan_model: _, ...given } = family ?? {};
  return isDeepStrictEqual(row, given);
}

/** The translation of the field `effort` as data. Apart from the catalogue, which is larger. */
export function effortFile(source: Source, models: readonly FileRow[]): string {
  const { effort: section } = source.value;
  if (!isObject(section)) throw source.error(['effort'], 'missing');
  const { words, budgets, nearest, plain: plainFields, classes } = section;
  const chat = models.filter(({ kind }) => kind === 'chat');
  checkClasses(source, models, words as string[], classes as unknown as EffortClass[]);
  const rows = chat.flatMap(({ id, thinking, effort, family, plan_model, capabilities }): [id: string, row: JsonObject][] => {
    const sees = capabilities?.includes('vision');
    return thinking === undefined
      ? []
      : [[id, { thinking, ...(effort && { effort }), ...(plan_model && { plan_model }), ...(family && { family }), ...(sees && { sees }) }]];
  });
  const facts = rows
    .filter(([id, row]) => !repeats(row, familyRow(id, rows)))
    .map(([id, row]) => `  ${JSON.stringify(id)}: ${JSON.stringify(row)},\n`);
  const leaving = Object.fromEntries(chat.flatMap(({ id, status, until = null }) => (status === 'leaving' ? [[id, until] as const] : [])));
  return `${banner}
/** How deep a model thinks, as an intent. */
export type Effort = 'off' | 'low' | 'medium' | 'high' | 'max';

/** Chat models that will retire, and the last day if the vendor has named it. */
export const leavingModels: Readonly<Record<string, string | null>> = ${JSON.stringify(leaving)};

/** Columns of a model's row that decide how \`effort\` is translated. */
export interface EffortFacts {
  /** Whether thinking can be switched off. Absent if unknown. */
  readonly thinking?: 'always' | 'switchable' | 'none' | undefined;
  /** Words that choose a depth. Absent if the service ignores the field. */
  readonly effort?: readonly string[] | undefined;
  /** The model that answers a plan key on the coding root. */
  readonly plan_model?: string | undefined;
  readonly family?: string | undefined;
  /** Takes images. */
  readonly sees?: true | undefined;
}

/** Fields to send, with the placeholders ASKED, WORD and BUDGET, and why they are not quite the wish. */
export interface EffortFields {
  readonly send: { readonly [field: string]: string | { readonly [field: string]: string } };
  readonly why?: string;
}

/** \`depth\` is for low to max, unless \`max\` is given. */
export interface EffortWishes {
  readonly off: EffortFields;
  readonly depth: EffortFields;
  readonly max?: EffortFields;
}

export type EffortSurface = 'chat' | 'messages' | 'responses';

/** A class of models: the columns of its rows, and the translation. */
export interface EffortClass extends Readonly<Record<EffortSurface, EffortWishes>> {
  readonly of: { readonly thinking: string; readonly effort?: true; readonly family?: string };
}

/** Words of effort, lowest first. */
export const effortWords: readonly string[] = ${JSON.stringify(words)};

/** Value of BUDGET, in tokens. */
export const effortBudgets: Readonly<Record<string, number>> = ${JSON.stringify(budgets)};

/** Reports a WORD that differs from the level. */
export const effortNearest = ${JSON.stringify(nearest)};

/** For a model without a class, and for roots that are not the vendor's. */
export const plainEffort: Readonly<Record<EffortSurface, EffortWishes>> = ${JSON.stringify(plainFields)};

/** The first class that fits counts. */
export const effortClasses: readonly EffortClass[] = [
${(classes as JsonObject[]).map((one) => `  ${JSON.stringify(one)},\n`).join('')}];

/** The columns of each chat model, without models that have the columns of their family: the longest id here that the own one begins with. */
export const effortFacts: Readonly<Record<string, EffortFacts>> = {
${facts.join('')}};
`;
}
