// The facts that a run remembers for its end.
import { CliError } from './errors/exit.ts';
import { DiskFull } from './terminal/io.ts';

export class RunNotes {
  /** Why a key must not go to a host. It is reported instead of the library's ConfigError, which does not contain it. */
  refusal: unknown;
  /** How to get a result that exists already, as advice. It is free, where running the command again may be billed. */
  freeWay: string | undefined;
  /** The problem of broken settings, for a command that does not need them. */
  settingsFault: string | undefined;
  /** True after the entries of NO_PROXY that no rule reads were named. */
  hasNamedExceptions = false;
  /** A copy of the reply of the last call that was not a stream. */
  lastReply: (() => unknown) | undefined;
  /** Printed after Ctrl-C, for instance `Resume with: modelsvc jobs wait ID`. */
  interruptNote: string | undefined;
  readonly #kept = new WeakSet<object>();

  /** Marks an error after which the result still exists: its advice is `freeWay`, if there is one. */
  keeping<E extends object>(error: E): E {
    this.#kept.add(error);
    return error;
  }

  /** The free way to the result that an error did not deliver. */
  adviceFor(error: unknown): string | undefined {
    if (!(error instanceof Error)) return undefined;
    // An error of neither the library nor a command is one of printing.
    const isUnexpected = !(error instanceof CliError) && !('kind' in error);
    return isUnexpected || error instanceof DiskFull || this.#kept.has(error) ? this.freeWay : undefined;
  }
}
