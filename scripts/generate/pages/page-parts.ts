/** Pages that are written by hand, except for the parts between markers. */

import { SpecError } from '../document/source.ts';

/** A page with a new text between the markers of a part. `path` is the name of the page in the error. */
export function withPart(path: string, page: string, name: string, text: string): string {
  const opening = `<!-- generated: ${name} -->\n`;
  const closing = '<!-- /generated -->';
  const from = page.indexOf(opening);
  const to = page.indexOf(closing, from);
  if (from < 0 || to < 0) throw new SpecError(`${path} has no place for "${name}": add "${opening.trim()}" and "${closing}"`);
  return `${page.slice(0, from)}${opening}\n${text}\n\n${page.slice(to)}`;
}
