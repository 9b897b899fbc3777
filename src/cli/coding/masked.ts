// A settings file as a preview shows it: keys, numbers, booleans, and the texts that this program wrote. All other text may be a secret of the user.
import { type DocumentText, type Path, pathText, type ValuePlace } from './edits/edit.ts';
import { type Splice, spliced } from './edits/text.ts';
import { follow, valueAt } from './edits/values.ts';
import { hashOf, type RecordedEdit } from './record.ts';

/** A value of this program: its path, the hashes of all texts that it has written there, and the text of the user's value that it replaced. */
export type OwnValue = Pick<RecordedEdit, 'path' | 'hashes' | 'hasKey' | 'before'>;

/** Hides every text that is not in `own`. Line breaks stay, so that the lines can be compared with the text's. A value with a key of `isKnown` is shown: the caller masks that key. */
export function maskedText(text: string, { value, parts }: DocumentText, own: readonly OwnValue[], isKnown: (value: string) => boolean): string {
  const shown = ownPlaces(value, own, isKnown);
  const names = new Set(own.flatMap(({ path }) => path.filter((step) => typeof step === 'string')));
  let at = 0;
  const gaps: Splice[] = [];
  const pieces = [...parts()]
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, kind, place }) => {
      const source = text.slice(start, end);
      if (at < start) gaps.push({ start: at, end: start, text: between(text.slice(at, start)) });
      at = end;
      if (kind === 'key') return { start, end, text: keyText(source, names) };
      const isShown = shown.some((one) => one.every((step, index) => step === place[index])) || (kind === 'value' && isHarmless(value, place));
      return { start, end, text: isShown ? source : hidden(source) };
    });
  return spliced(text, [...gaps, { start: at, end: text.length, text: between(text.slice(at)) }, ...pieces]);
}

/** The places of own values, and of the fields by which items are found. */
function ownPlaces(root: unknown, own: readonly OwnValue[], isKnown: (value: string) => boolean): readonly ValuePlace[] {
  return own.flatMap(({ path, hashes, hasKey, before }) => {
    const { place, value } = follow(root, path);
    const isOwn = place.length === path.length && hashes.includes(hashOf(value)) && (!hasKey || [value].flat().some((one) => isKnown(String(one))));
    const fields = path.flatMap((step, at) =>
      typeof step !== 'string' && at < place.length ? Object.keys(step).map((key) => [...place.slice(0, at + 1), key]) : [],
    );
    return isOwn ? [...addedPlaces(place, value, before), ...fields] : fields;
  });
}

/** A list of the user that this program extended has their items too. Those that are in the text before are hidden. */
function addedPlaces(place: ValuePlace, value: unknown, before: string | undefined): readonly ValuePlace[] {
  if (!Array.isArray(value) || before === undefined) return [place];
  return value.flatMap((item, index) => (before.includes(String(item)) ? [] : [[...place, index]]));
}

/** True for a null, a number and a boolean. */
function isHarmless(root: unknown, place: ValuePlace): boolean {
  const value = valueAt(root, place);
  return value === null || ['number', 'bigint', 'boolean'].includes(typeof value);
}

/** A key, or the header of a TOML table. A name that does not look like one is data, such as a URL with a password. */
function keyText(source: string, names: ReadonlySet<string>): string {
  return source.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|[^"'[\]]+/g, (part) => {
    const name = part.replace(/^["'.\s]+|["'.\s]+$/g, '');
    return names.has(name) || isName(name) ? part : hidden(part);
  });
}

/** `agent.review.model`, for messages: keys of the user that may be data are hidden. Steps of `own` are from this program. */
export function shownPath(path: Path, own: Path = []): string {
  return pathText(path.map((step, at) => (typeof step !== 'string' || step === own[at] || isName(step) ? step : '…')));
}

/** Words of letters with at most three digits: `ANTHROPIC_MODEL`, `mcpServers`, `glm-5.3`. */
function isName(text: string): boolean {
  return text.split(/[-._$]+/).every((word) => /^(?:[A-Za-z]{0,24}\d{0,3})$/.test(word));
}

/** Text outside of keys and values: signs of the format are shown; comments, anchors and tags are not. */
function between(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*|[^\s{}[\],:=?-]+/g, hidden);
}

/** One sign for the text of each line. */
function hidden(text: string): string {
  return text.replace(/[^\s](?:[^\r\n]*[^\s])?/g, '…');
}
