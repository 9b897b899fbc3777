import type { JsonSchema } from './json-schema.ts';
import { boundedText, joinText, schemaText, valueText } from './text.ts';
import type { ObjectWords } from './union-object.ts';
import { valuesOf } from './values.ts';

/**
 * What the branches say about themselves, as one text: `"a": First; "b": Second`. When the merged schema is wider than the
 * branches, `spellOut` names them even where they say nothing.
 */
export function branchText(branches: readonly JsonSchema[], words: ObjectWords, spellOut: boolean): string {
  const labels = branches.map((branch) => words.labels.get(branch) ?? schemaText(branch));
  const texts = branches.map(ownText);
  return boundedText(joinText([sayings(labels, texts, spellOut), words.note], '; '));
}

function sayings(labels: readonly string[], texts: readonly (string | undefined)[], spellOut: boolean): string {
  const [label, ...otherLabels] = new Set(labels);
  const [text, ...otherTexts] = new Set(texts);
  const names = spellOut && otherLabels.length > 0 ? joinText(labels, ' or ') : '';
  if (otherTexts.length === 0) return text === undefined || names === '' ? (text ?? names) : `${text} (${names})`;
  if (label !== undefined && otherLabels.length === 0) return joinText(texts, '; ');
  return joinText(
    labels.map((name, index) => (texts[index] === undefined ? (spellOut ? name : undefined) : `${name}: ${texts[index]}`)),
    '; ',
  );
}

function ownText(branch: JsonSchema): string | undefined {
  const { description, title } = branch;
  if (typeof description === 'string' && description !== '') return description;
  // `{ const: 'cw', title: 'Clockwise' }` is how forms document the values of an enumeration.
  const values = valuesOf(branch);
  return typeof title === 'string' && title !== '' && values?.length === 1 && title !== valueText(values[0]) ? title : undefined;
}
