/** A value as ajv writes it: `data`, `data3`, `data.name`, `data["a-b"]`, `data4[i0]`. */
export const value: string = String.raw`\w+(?:\.\w+|\[\w+\]|\["(?:[^"\\]|\\.)*"\])*`;
/** A string literal. */
export const text: string = String.raw`"(?:[^"\\]|\\.)*"`;
/** A place: `path`, `path+"/messages/" + i0+"/role"`. */
export const place: string = String.raw`path(?: ?\+ ?(?:${text}|step\(\w+\)|\w+))*`;
/** A literal that JSON can read. */
export const literal: string = String.raw`(?:${text}|-?[\d.e+-]+|true|false|null)`;

/** A pattern of a whole line. */
export function form(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

/** A pattern of exactly this text. */
export function exactly(words: string): string {
  return words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The condition that ajv writes for "none of these values". */
export function isNone(one: string, values: readonly string[]): string {
  const [first = '', ...rest] = values.map((wanted) => `${one} === ${wanted}`);
  return `!(${rest.reduce((before, next) => `(${before}) || (${next})`, first)})`;
}

/** The place around one that ends in a field's name or, with the counter of a loop, in an item's: `path+"/tools/" + i0`. */
export function placeAround(inner: string, name: string, counter = ''): string {
  const end = counter === '' ? `/${name}"` : `/" + ${counter}`;
  if (!inner.endsWith(end)) throw new Error(`not the place of ${name}${counter}: ${inner}`);
  return `${inner.slice(0, -end.length)}"`.replace(/\+""$/, '');
}
