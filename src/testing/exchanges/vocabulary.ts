// The words of the spec: in a bundle, only they stay.
import { businessCodes } from '../../generated/codes.ts';
import { effortWords } from '../../generated/effort.ts';
import { examples } from '../../generated/examples.ts';
import { catalogue } from '../../generated/models.ts';
import { allRoutes } from '../../generated/routes.ts';
import * as rules from '../../generated/rules.ts';

const word = /^[\w./:;=+ -]{1,64}$/;

/** Segments of the roots of the service. */
const roots: readonly string[] = ['api', 'paas', 'v1', 'v4', 'coding', 'anthropic', 'monitor', 'biz'];

let known: ReadonlySet<string> | undefined;

/** Names of fields, enum values, models, codes, media types and segments of paths. */
export function specWords(): ReadonlySet<string> {
  known ??= collected();
  return known;
}

function collected(): ReadonlySet<string> {
  const words = new Set<string>([...effortWords, ...Object.keys(businessCodes), ...catalogue.map(({ id }) => id)]);
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    // Free text has blanks; a media type with its charset has one.
    if (typeof value === 'string' && word.test(value) && (!value.includes(' ') || value.includes('/'))) words.add(value);
    if (typeof value === 'function') return visit((value as () => unknown)());
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) {
      words.add(name);
      visit(inner);
    }
  };
  visit(examples);
  visit(rules);
  for (const segment of [...roots, '[DONE]']) words.add(segment);
  for (const { method, path } of allRoutes) for (const segment of [method, ...path.split('/')]) words.add(segment);
  return words;
}
