// The words for a request that is not in the file: how it differs from the nearest one that is.
import { isJsonObject, type Json } from './form.ts';
import { idsByAppearance } from './ids.ts';
import { specWords } from './vocabulary.ts';

/** Differences that are listed. */
const maxListed = 6;

/** How two values differ, by path. Texts are given by their lengths, because they may be prompts. Missing values are undefined. */
export function differences(recorded: Json | undefined, sent: Json | undefined, path: string = ''): string[] {
  if (Array.isArray(recorded) && Array.isArray(sent))
    return Array.from({ length: Math.max(recorded.length, sent.length) }, (_, index) =>
      differences(recorded[index] as Json | undefined, sent[index] as Json | undefined, `${path}[${index}]`),
    ).flat();
  if (isJsonObject(recorded) && isJsonObject(sent)) {
    const names = [...new Set([...Object.keys(recorded), ...Object.keys(sent)])];
    return names.flatMap((name) => differences(recorded[name], sent[name], path === '' ? name : `${path}.${name}`));
  }
  if (JSON.stringify(recorded) === JSON.stringify(sent)) return [];
  if (typeof recorded === 'string' && typeof sent === 'string' && !(isShown(recorded, path) && isShown(sent, path)))
    return [`${path} differs from character ${firstDifference(recorded, sent) + 1} on`];
  return [`${path} is ${shown(sent, path)}, recorded as ${shown(recorded, path)}`];
}

/** The differences from the nearest of the recorded requests, in one sentence. */
export function nearestText(sent: Json, recorded: readonly Json[]): string {
  const inOrder = idsByAppearance(sent);
  let nearest: string[] | undefined;
  for (const one of recorded) {
    const apart = differences(idsByAppearance(one), inOrder);
    // Ids alone differ: that is the true difference.
    const found = apart.length > 0 ? apart : differences(one, sent);
    if (nearest === undefined || weight(found) < weight(nearest)) nearest = found;
  }
  if (nearest === undefined) return 'The file has no requests.';
  const more = nearest.length - maxListed;
  return `The nearest recorded request differs: ${nearest.slice(0, maxListed).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** A request to another place is farther away than any other body. */
function weight(found: readonly string[]): number {
  return found.length + 1000 * found.filter((text) => /^(?:method|host|path) /.test(text)).length;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Words of the spec and the place of the request are not prompts. */
function isShown(text: string, path: string): boolean {
  return /^(?:method|host|path)$/.test(path) || specWords.has(text);
}

function shown(value: Json | undefined, path: string): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return isShown(value, path) ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isJsonObject(value) ? 'an object' : String(value);
}
