import { usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import type { Input } from '../../input/input.ts';

/** The values of `--var`: JSON where the text looks like it, otherwise text. Undefined without any. */
export function variablesOf(input: Input): Record<string, unknown> | undefined {
  const pairs = input.list('var');
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`--var must be NAME=VALUE, not ${JSON.stringify(pair)}`);
      const name = pair.slice(0, at);
      return [name, converted(name, pair.slice(at + 1))];
    }),
  );
}

function converted(name: string, text: string): unknown {
  if (/^(true|false|null|-?\d{1,15}(\.\d{1,15})?)$/.test(text)) return JSON.parse(text);
  if (!/^[[{]/.test(text)) return text;
  const value = jsonValue(text);
  if (value === undefined) throw usageError(`--var ${name} looks like JSON but cannot be parsed`);
  return value;
}
