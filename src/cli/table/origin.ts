// The option or argument from which a field of a request comes.
import { globalOptions } from './global-options.ts';
import type { CommandSpec } from './spec.ts';

export interface Origin {
  /** `--max-tokens`, or the name of an argument. */
  readonly name: string;
  /** A number or duration as it was typed. Texts are left out: they may be long, or contain a secret. */
  readonly text?: string | undefined;
  /** The next step, if it is not another value of the option. */
  readonly cure?: string | undefined;
}

/** Finds the option or argument that sets a field of a request or of the Config. */
export type Origins = (field: string) => Origin | undefined;

/** Finds it by name: `max_tokens` and `maxTokens` are `--max-tokens`. An option with another name has the field as its `field`. */
export function originIn(
  { options = [], arguments: args = [] }: Pick<CommandSpec, 'options' | 'arguments'>,
  field: string,
  texts: ReadonlyMap<string, string> = new Map(),
): Origin | undefined {
  const words = field
    .replace(/([A-Z])/g, '-$1')
    .replaceAll('_', '-')
    .toLowerCase();
  const list = field.replace(/\[\d+\]$/, '');
  const option = [...options, ...globalOptions].find((one) => one.field === (one.kind === 'list' ? list : field) || one.name === words);
  if (option) return { name: `--${option.name}`, text: option.kind === 'text' ? undefined : texts.get(option.name) };
  const argument = args.find((one) => one.field === field || one.name.toLowerCase() === words);
  return argument && { name: argument.name };
}
