// Adds exchanges to the log. A failure is one warning, because the answer is printed all the same.
import { join } from 'node:path';
import { estimateCost, type ModelRow, withoutSecrets } from 'modelsvc';
import { makeFolder } from '../../store/folder.ts';
import { stateFolder } from '../accounts/folder.ts';
import type { Cli } from '../cli.ts';
import { isLoopback } from '../hosts.ts';
import { entryVersion, type LogEntry, lineOf, newId } from './entry.ts';
import { append } from './segments.ts';

/** An exchange that has ended. */
export type EndedExchange = Omit<LogEntry, 'v' | 'id' | 'time' | 'cost'>;

export function logFolder(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'log');
}

const warned = new WeakSet<Cli>();

export class ExchangeLog {
  readonly #cli: Cli;
  /** False after `--no-log`, and for a log that is turned off. */
  readonly isOn: boolean;
  /** Why the folder could not be made. */
  #problem: unknown;
  #apiKey = '';
  #unpriced: LogEntry['unpriced'];
  #models: readonly ModelRow[] = [];

  private constructor(cli: Cli) {
    this.#cli = cli;
    this.isOn = !cli.isPrivate && !cli.isDryRun && cli.setting('log') !== 'off';
  }

  /** Call it before the exchange: an answer that has arrived is then logged at once. */
  static async open(cli: Cli): Promise<ExchangeLog> {
    const log = new ExchangeLog(cli);
    if (!log.isOn) return log;
    log.#apiKey = (await cli.make.credential()).apiKey;
    log.#unpriced = (await withoutListPrice(cli)) ?? (await isLocal(cli));
    log.#models = (await cli.make.models()).rows;
    try {
      makeFolder(logFolder(cli.screen.io.env));
    } catch (error) {
      log.#problem = error;
    }
    return log;
  }

  /** Adds an exchange, unless `--no-log` or the setting turns the log off. It is in the log when the call returns. */
  async add({ text, unpriced = this.#unpriced, ...exchange }: EndedExchange): Promise<void> {
    if (!this.isOn) return;
    try {
      if (this.#problem !== undefined) throw this.#problem;
      const now = new Date();
      const { model, usage } = exchange;
      const cost = usage === undefined || unpriced ? undefined : estimateCost(model, usage, this.#models);
      const entry: LogEntry = { v: entryVersion, id: newId(now), time: now.toISOString(), ...exchange, cost, unpriced, text };
      append(logFolder(this.#cli.screen.io.env), entry.time.slice(0, 7), lineOf(withoutSecrets(entry, [this.#apiKey])));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (warned.has(this.#cli)) return;
      warned.add(this.#cli);
      await this.#cli.screen.warnBetween(`the exchange could not be logged (${code ?? message}); --no-log turns this off`);
    }
  }
}

/** A program on this machine is a mock, unless the rules of the service are on for it. */
async function isLocal(cli: Cli): Promise<'local' | undefined> {
  const { baseUrl } = await cli.make.credential();
  const isService = (cli.values.serviceRules ?? cli.setting('service-rules')) === 'on';
  return baseUrl !== undefined && !isService && isLoopback(new URL(baseUrl).hostname) ? 'local' : undefined;
}

/** Why list prices do not hold for the calls of a command: neither the plan nor the china host has them. */
export async function withoutListPrice(cli: Cli): Promise<'plan' | 'china' | undefined> {
  if (cli.values.planEndpoint === true) return 'plan';
  return (await cli.make.credential()).region === 'china' ? 'china' : undefined;
}
