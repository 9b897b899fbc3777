import type { JsonSchema } from './json-schema.ts';
import { MAX_ADDED_TEXT } from './limits.ts';
import { boundedText, joinText, schemaText, valueText } from './text.ts';
import type { ObjectWords } from './union-object.ts';
import { valuesOf } from './values.ts';

/**
 * The descriptions of the branches as one text: `"a": First; "b": Second`. Set `spellOut` if the merged schema is wider than the
 * branches: it also lists branches without a description.
 */
export function branchText(branches: readonly JsonSchema[], words: ObjectWords, spellOut: boolean): string {
  const labels = branches.map((branch) => words.labels.get(branch) ?? schemaText(branch));
  const alike = branches.every((branch) => branch['title'] === branches[0]?.['title']);
  const texts = branches.map((branch) => ownText(branch, alike));
  // Put complete sentences on separate lines.
  const separator = texts.some((text) => text !== undefined && (text.length > 80 || /[.!?\n]/.test(text))) ? '\n' : '; ';
  return boundedText(joinText([sayings(labels, texts, spellOut, separator), words.note], separator));
}

function sayings(labels: readonly string[], texts: readonly (string | undefined)[], spellOut: boolean, separator: string): string {
  const [label, ...otherLabels] = new Set(labels);
  const [text, ...otherTexts] = new Set(texts);
  const names = spellOut && otherLabels.length > 0 ? joinText(labels, ' or ', MAX_ADDED_TEXT) : '';
  if (otherTexts.length === 0) return text === undefined || names === '' ? (text ?? names) : `${text} (${names})`;
  if (label !== undefined && otherLabels.length === 0) return joinText(texts, separator, MAX_ADDED_TEXT);
  return joinText(
    labels.map((name, index) => (texts[index] === undefined ? (spellOut ? name : undefined) : `${name}: ${texts[index]}`)),
    separator,
    MAX_ADDED_TEXT,
  );
}

function ownText(branch: JsonSchema, titlesAlike: boolean): string | undefined {
  const { description, title } = branch;
  if (typeof description === 'string' && description !== '') return boundedText(description);
  // Form schemas document enum values as `{ const: 'cw', title: 'Clockwise' }`.
  if (titlesAlike) return undefined;
  const values = valuesOf(branch);
  return typeof title === 'string' && title !== '' && values?.length === 1 && title !== valueText(values[0]) ? title : undefined;
}
