// The surroundings of a command: global options and settings, and the three parts that serve it.
import type { Context } from 'modelsvc';
import type { DryRequest } from './dry-run/request.ts';
import { CliError } from './errors/exit.ts';
import { Factory, type Makers } from './factory.ts';
import type { Input, OptionValue } from './input/input.ts';
import { RunNotes } from './run-notes.ts';
import type { Format, GlobalValues } from './table/global-options.ts';
import type { CommandSpec } from './table/spec.ts';
import type { Io } from './terminal/io.ts';
import { Screen } from './terminal/screen.ts';

/** The settings of `config` by name, aliases of models included, each with its place in the file. */
export type UserSettings = ReadonlyMap<string, { readonly value: OptionValue; readonly origin: string }>;

/** Runs a command. Returns its exit code; undefined means 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return value has the type void
export type Handler = (cli: Cli, input: Input) => Promise<number | void>;

/** A command as data, with its code. */
export type Command = CommandSpec<Handler>;

export class Cli {
  readonly values: GlobalValues;
  readonly settings: UserSettings;
  readonly screen: Screen;
  readonly make: Factory;
  readonly run: RunNotes = new RunNotes();
  readonly #controller: AbortController;
  #dryRequest: DryRequest | undefined;

  constructor(values: GlobalValues, io: Io, controller: AbortController, makers: (cli: Cli) => Makers, settings: UserSettings = new Map()) {
    this.values = values;
    this.settings = settings;
    this.#controller = controller;
    this.make = new Factory(makers(this));
    const format = values.json === true ? 'json' : (values.output ?? (this.setting('output') as Format | undefined) ?? 'text');
    this.screen = new Screen(values, io, controller, format);
  }

  /** The value of a setting; undefined if the user has set none. */
  setting(name: string): string | undefined {
    return this.settings.get(name)?.value?.toString();
  }

  /** The id of a model, which may be given by its alias. */
  modelId(name: string): string {
    return this.setting(`alias.${name}`) ?? name;
  }

  /** Aborts at Ctrl-C and SIGTERM, and once `--dry-run` has its request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The context of a call: aborts at Ctrl-C. */
  get ctx(): Context {
    return { signal: this.signal };
  }

  /** True with `--no-log`: no prompt may reach a file of the program. */
  get isPrivate(): boolean {
    return this.values.log === false;
  }

  /** True if the first request is printed and not sent. */
  get isDryRun(): boolean {
    return this.values.dryRun !== undefined;
  }

  /** The request that `--dry-run` prints, once there is one. */
  get dryRequest(): DryRequest | undefined {
    return this.#dryRequest;
  }

  /** Keeps the request and ends the command, whose further output is dropped. */
  endDryRun(request: DryRequest): void {
    this.#dryRequest ??= request;
    this.screen.isSilent = true;
    this.#controller.abort(new CliError('ended by --dry-run'));
  }
}
