import type { FieldOption } from '../../generated/options.ts';
import type { CommandSpec, OptionSpec } from './spec.ts';

/** An option of the command alone, or a field of the document with the part that the command changes. */
type OwnOption = OptionSpec | (Partial<OptionSpec> & { readonly field: string });

const values = { integer: 'N', number: 'X', text: 'TEXT', list: 'TEXT' } as const;

function optionOf({ kind = 'text', ...field }: FieldOption): OptionSpec {
  return { name: field.field.replaceAll('_', '-'), kind, ...(kind !== 'flag' && { value: values[kind] }), ...field };
}

/** A command whose options follow the document: its own come first, then each field that none of its options and arguments carries. */
export function withFields<Code>(
  fields: readonly FieldOption[],
  { options = [], ...command }: Omit<CommandSpec<Code>, 'options'> & { readonly options?: readonly OwnOption[] },
): CommandSpec<Code> {
  const rows = fields.map(optionOf);
  const own = options.map((one) => ({ ...rows.find(({ field }) => field === one.field), ...one }) as OptionSpec);
  const carried = [...own, ...(command.arguments ?? [])].map(({ field }) => field);
  return { ...command, options: [...own, ...rows.filter(({ field }) => !carried.includes(field))] };
}

/** The option of the model. */
export function modelOption(id: string): OwnOption {
  return { field: 'model', short: 'm', value: 'ID', default: id, complete: 'model' };
}
