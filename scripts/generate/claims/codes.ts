import { list } from '../document/operations.ts';
import { isObject, type JsonObject, type Source } from '../document/source.ts';
import type { Found } from './claim.ts';
import { holds, type Recording, recordedSource } from './recordings.ts';

const best = ['recorded', 'documented', 'reported', 'sdk-only', 'unconfirmed'];

/** The claims of the code file. The word of a code is the best of its sources. */
export function codeClaims(source: Source, recordings: readonly Recording[]): Found[] {
  const table = isObject(source.value['sources']) ? source.value['sources'] : {};
  return (list(source.value['codes']) as JsonObject[]).map((row, index) => {
    const { code, status = null, category = null, retry = null } = row;
    const names = list(row['source']).map(String);
    const origins = names.map((name) => table[name]);
    const missing = origins.findIndex((one) => !isObject(one));
    if (missing >= 0) throw source.error(['codes', index, 'source', missing], `${names[missing]} is not among the sources`);
    const words = (origins as JsonObject[]).map((one) => String(one['evidence']));
    const evidence = best.find((word) => words.includes(word));
    if (evidence === undefined) throw source.error(['codes', index, 'source'], `code ${code} has no source`);
    const shown = recordedSource(
      recordings.filter(({ body }) => holds(body, ['error', 'code']) && (body as { error: JsonObject }).error['code'] === code),
    );
    const texts = (origins as JsonObject[]).flatMap((one) =>
      one['evidence'] === 'recorded' && shown.length > 0 ? shown : list(one['source']).map(String),
    );
    return { id: `code:${code}`, path: ['codes', String(code)], evidence, source: texts, value: { status, category, retry } };
  });
}
