// Exchanges that differ only in times: the gaps between frames, and the dates in bodies.
import { jsonOrUndefined } from '../../overlay/json/json-value.ts';
import { canonical, isJsonObject, type Json, type RecordedExchange } from './form.ts';
import { responseJson } from './write.ts';

const timeFields: ReadonlySet<string> = new Set(
  'created created_at completed_at updated_at finished_at expires_at cancelled_at failed_at in_progress_at after'.split(' '),
);

/** True if the responses of two exchanges are equal apart from times. */
export function sameButTimes(a: RecordedExchange, b: RecordedExchange): boolean {
  return timeless(a) === timeless(b);
}

function timeless({ response }: RecordedExchange): string {
  return canonical(withoutTimes(responseJson(response)));
}

function withoutTimes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, Json] => {
      if (timeFields.has(name) && typeof inner === 'number') return [name, 0];
      // A frame has its JSON as a text.
      const parsed = name === 'data' && typeof inner === 'string' ? (jsonOrUndefined(inner) as Json | undefined) : undefined;
      return [name, withoutTimes(parsed ?? inner)];
    }),
  );
}
