// Translates the field `effort` of a request to the fields that its model accepts.
import {
  type Effort,
  type EffortFacts,
  type EffortSurface,
  effortBudgets,
  effortClasses,
  effortNearest,
  effortWords,
  plainEffort,
} from '../../generated/effort.ts';
import type { EffortInfo } from '../hooks/hook.ts';
import { type Fields, fieldsOf, isFields } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';

const levels: readonly unknown[] = ['off', 'low', 'medium', 'high', 'max'] satisfies Effort[];

/** The model of a request as its root serves it. */
export interface ServedModel {
  /** For sentences. */
  readonly name: string;
  /** Undefined for an unknown model, and for a root that is not the vendor's. */
  readonly facts: EffortFacts | undefined;
}

/** A body without `effort`, and the translation. */
export interface Translated<Body> {
  readonly body: Omit<Body, 'effort'>;
  readonly effort: EffortInfo | undefined;
}

/** Replaces `effort` in the body. Throws for a wrong level, and for a field that chooses the effort too. */
export function translated<Body extends { readonly effort?: unknown }>(
  { effort: given, ...wire }: Body,
  surface: EffortSurface,
  modelOf: () => ServedModel,
): Translated<Body> {
  if (given === undefined || given === null) return { body: wire, effort: undefined };
  if (!levels.includes(given)) throw new Problem('effort', `must be one of ${levels.join(', ')}`);
  const body: Record<string, unknown> = wire;
  const rival = rivalOf(body, surface);
  if (rival !== undefined) throw new Problem('effort', `and ${rival} exclude each other: remove one of them`);
  const effort = effortInfo(given as Effort, surface, modelOf(), body['max_tokens']);
  // Fields such as `clear_thinking` and `format` do not choose an effort, and stay.
  for (const [name, value] of Object.entries(effort.sent)) body[name] = isFields(value) ? { ...fieldsOf(body[name]), ...value } : value;
  return { body: wire, effort };
}

/** The raw field that chooses the effort. A `thinking` of the message surface always does, because its `type` is required. */
function rivalOf(
  { thinking, reasoning_effort: word, reasoning, output_config: config }: Record<string, unknown>,
  surface: EffortSurface,
): string | undefined {
  if ((fieldsOf(reasoning)['effort'] ?? undefined) !== undefined) return 'reasoning.effort';
  const isKept = surface === 'chat' && isFields(thinking) && (thinking['type'] ?? undefined) === undefined;
  if ((thinking ?? undefined) !== undefined && !isKept) return 'thinking';
  if ((word ?? undefined) !== undefined) return 'reasoning_effort';
  return (fieldsOf(config)['effort'] ?? undefined) === undefined ? undefined : 'output_config.effort';
}

function effortInfo(asked: Effort, surface: EffortSurface, { name, facts = {} }: ServedModel, maxTokens: unknown): EffortInfo {
  const words = effortWords.filter((word) => facts.effort?.includes(word));
  const fitting = effortClasses.find(
    ({ of }) => of.thinking === facts.thinking && (!of.effort || words.length > 0) && (of.family ?? facts.family) === facts.family,
  );
  const { off, depth, max = depth } = (fitting ?? plainEffort)[surface];
  const { send, why } = asked === 'off' ? off : asked === 'max' ? max : depth;
  const word = nearestWord(asked, words);
  const budget = effortBudgets[asked];
  const values: Fields = { ASKED: asked, WORD: word, BUDGET: typeof maxTokens === 'number' && budget && budget < maxTokens ? budget : undefined };
  const isOther = fitting?.of.effort && asked !== 'off' && word !== asked;
  const sentence = why ?? (isOther ? effortNearest : undefined);
  return Object.freeze({
    asked,
    sent: Object.freeze(filled(send, values)),
    why: sentence
      ?.replace('{model}', () => name)
      .replace('{asked}', asked)
      .replace('{word}', word),
  });
}

/** The same word, else the next higher, else the highest. For off the lowest. */
function nearestWord(asked: Effort, words: readonly string[]): string {
  const higher = words.find((word) => effortWords.indexOf(word) >= effortWords.indexOf(asked));
  return higher ?? words.at(-1) ?? '';
}

/** The fields with their placeholders replaced. A field without a value is left out. */
function filled(fields: Fields, values: Fields): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name,
    isFields(value) ? Object.freeze(filled(value, values)) : Object.hasOwn(values, String(value)) ? values[String(value)] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
