// Faults by their names in modelsvc/testing: `truncatedStream`, `error(503, 1305)`, `chat.create=slowHeaders(2000)`.
import { isModelsvcError } from 'modelsvc';
import { type Fault, faults } from 'modelsvc/testing';
import { usageError } from '../../errors/exit.ts';

export interface NamedFault {
  /** The option. */
  readonly place: string;
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
  const words = [...values.matchAll(/\s*('[^']*'|"[^"]*"|[^,]+)/g)].map(([, value = '']) => value.trim()).filter((value) => value !== '');
  const [first, ...others] = words.map(argument);
  // Only its first argument is an object.
  const given = name === 'rateLimit' && typeof first === 'number' ? { seconds: first } : first;
  const made = checked(place, text, () => make(...(words.length === 0 ? [] : [given, ...others])));
  return [made].flat().map((fault) => ({ place, operation, fault, text: text.trim() }));
}

/** The result of a check of modelsvc/testing, whose refusal becomes an option's. */
export function checked<T>(place: string, text: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isModelsvcError(error, 'validation')) throw error;
    throw usageError(`${place} ${text}: ${error.path} ${error.problem}`, 'Run `modelsvc help faults` for their arguments.');
  }
}

/** A number, or a text. In quotes digits stay text, for instance a code. */
function argument(text: string): string | number {
  return /^-?\d+(?:\.\d+)?(?:e\d+)?$/i.test(text) ? Number(text) : text.replace(/^(['"])(.*)\1$/, '$2');
}
