import { list, type Operation } from '../document/operations.ts';
import { banner, isObject, type Json, type Source } from '../document/source.ts';
import { documentOf, nodesOf } from '../document/walk.ts';

/** A value without blanks, or a media type. */
const word = /^[\w./:+-]{1,64}(?:; ?charset=[\w-]+)?$/;

/** The words of the schemas, for the redaction of exchanges, on one line. */
export function wordsFile(source: Source, operations: readonly Operation[]): string {
  const found = nodesOf(documentOf(source)).flatMap(({ kind, value }): (Json | undefined)[] => {
    if (!isObject(value)) return [];
    if (kind === 'parameter') return [value['name']];
    return kind === 'schema' ? [...Object.keys(value['properties'] ?? {}), ...list(value['enum'] ?? value['x-extensible-enum']), value['const']] : [];
  });
  for (const { method, path, body, replies } of operations) {
    found.push(method.toUpperCase(), ...path.split('/'), body?.mediaType, body?.wireType);
    found.push(...replies.flatMap(({ mediaType, wireType }) => [mediaType, wireType]));
  }
  const words = [...new Set(found)].filter((one): one is string => typeof one === 'string' && word.test(one)).sort();
  return `${banner}
/** Names of fields and parameters, values of \`enum\` and \`const\`, media types and segments of paths. */
export const words: readonly string[] = '${words.join('|')}'.split('|');
`;
}
