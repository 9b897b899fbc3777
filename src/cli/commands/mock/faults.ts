// Faults by their names in modelsvc/testing: `truncatedStream`, `error(503, 1305)`, `chat.create=slowHeaders(2000)`.
import { type Fault, faults } from 'modelsvc/testing';
import { usageError } from '../../errors/exit.ts';

export interface NamedFault {
  /** `*` for every operation. */
  readonly operation: string;
  readonly fault: Fault;
  /** The fault as it was given. */
  readonly text: string;
}

type Maker = (...values: unknown[]) => Fault | readonly Fault[];

/** `all` takes other faults, which have no form as text. */
export const faultNames: readonly string[] = Object.keys(faults).filter((name) => name !== 'all');

/** The faults of a text. Some names make several: `serverErrors(2)` is two faults. */
export function namedFaults(place: string, text: string): NamedFault[] {
  const [, operation = '*', name = '', values = ''] = /^(?:([\w.*]+)=)?(\w+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  if (!faultNames.includes(name))
    throw usageError(`${place}: there is no fault ${JSON.stringify(name || text)}`, 'Run `modelsvc help faults` for their names.');
  const make = faults[name as keyof typeof faults] as Maker;
  const made = make(
    ...values
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '')
      .map(argument),
  );
  return [made].flat().map((fault) => ({ operation, fault, text: text.trim() }));
}

/** Digits become a number. In quotes they stay text, for instance a code. */
function argument(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text.replace(/^(['"])(.*)\1$/, '$2');
}
