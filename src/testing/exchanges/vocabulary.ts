// The words of the spec, and the identifiers that it lacks: in a bundle, only they stay.
import { businessCodes } from '../../generated/codes.ts';
import { effortWords } from '../../generated/effort.ts';
import { catalogue } from '../../generated/models.ts';
import { words } from '../../generated/words.ts';

/** Segments of roots, the end of a stream, media types that gateways answer with, and words of JSON Schema. */
const others: readonly string[] =
  'api paas v1 v4 coding anthropic monitor biz [DONE] text/html text/plain charset=utf-8 charset=UTF-8 string integer boolean array null items enum anyOf'.split(
    ' ',
  );

/** Names of fields, values of `enum`, models, codes, media types and segments of paths. */
export const specWords: ReadonlySet<string> = new Set([
  ...words,
  ...others,
  ...effortWords,
  ...Object.keys(businessCodes),
  ...catalogue.map(({ id }) => id),
]);

/** Fields whose values the service chooses from a list, by their last word: `type`, `finish_reason`, `task_status`, `modelCode`. */
const ofIdentifiers = /^(?:agent_id|code)$|(?:^|[_.-]|[a-z](?=[A-Z]))(?:type|status|reason|model|event|object)$/i;

/** Fields of a user or of a tool: names and values below them are texts. */
const free: ReadonlySet<string> = new Set('arguments input parameters schema properties input_schema metadata custom_variables mcp'.split(' '));

/** Words in lower case or in capitals with separators. Keys, names of people and addresses are neither. */
const word = /^[a-z]{1,16}\d{0,2}$/;
const laterWord = /^[a-z]{1,16}\d{0,2}$|^\d{1,2}[a-z]?$/;
const capitals = /^[A-Z]{2,16}$/;
const version = /-\d{4}(?:\d\d)?$/;
const maxLength = 48;
const maxDigits = 6;

/** True for a field whose own fields are from the spec too. */
export function isOfSpec(name: string): boolean {
  return specWords.has(name) && !free.has(name);
}

/** True for the name of a field that the spec lacks, between fields of the spec: words in lower case, as the service has them. */
export function isPlainField(name: string): boolean {
  return name.length <= maxLength && /^[a-z]{1,16}(?:_[a-z]{1,16}){0,4}$/.test(name);
}

/** True for a text that looks like an identifier, in a field of identifiers. A code has up to four digits, and a model may end in a date. */
export function isIdentifier(text: string, field: string): boolean {
  if (text.length > maxLength || !ofIdentifiers.test(field)) return false;
  if (/^\d{3,4}$/.test(text)) return field === 'code';
  const plain = field === 'model' ? text.replace(version, '') : text;
  return isIdentifierForm(plain) && plain.replace(/\D/g, '').length <= maxDigits;
}

/** Not one pattern: the groups of a long text need the stack. */
function isIdentifierForm(text: string): boolean {
  const [first = '', ...later] = text.split(/[_.-]/);
  return (word.test(first) && later.every((part) => laterWord.test(part))) || text.split('_').every((part) => capitals.test(part));
}
