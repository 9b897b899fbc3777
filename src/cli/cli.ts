// The surroundings of a command: options that every command has, the client, output, progress and cancellation.
import type { Client, Config, Context, ModelRow } from 'modelsvc';
import type { DryRequest } from './dry-run/request.ts';
import { CliError, exitCodes, usageError } from './errors/exit.ts';
import { decoded } from './files/text.ts';
import type { CredentialSource } from './hosts.ts';
import type { Input, OptionValue } from './input/input.ts';
import type { Format, GlobalValues } from './table/global-options.ts';
import type { CommandSpec } from './table/spec.ts';
import { bytesOf, DiskFull, type Io, stdinBlocks } from './terminal/io.ts';
import { Output } from './terminal/output.ts';
import { type ProgressLine, progressLine } from './terminal/progress.ts';
import type { Consent, Questions } from './terminal/questions.ts';
import { isOddReply } from './terminal/reply.ts';
import { painted, plain, wantsColor } from './terminal/terminal.ts';

/** The rows of the user's models.yaml, and the path of the file. */
export interface OwnModels {
  readonly path: string;
  readonly rows: readonly ModelRow[];
}

/** The settings of `config` by name, aliases of models included, each with its place in the file. */
export type UserSettings = ReadonlyMap<string, { readonly value: OptionValue; readonly origin: string }>;

/** `main.ts` hands these over, so that the surroundings import neither the library nor the store of keys. */
export interface Makers {
  client(cli: Cli): Promise<Client>;
  credential(cli: Cli): Promise<CredentialSource>;
  models(cli: Cli): Promise<OwnModels>;
}

/** Runs a command. Returns its exit code; undefined means 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return value has the type void
export type Handler = (cli: Cli, input: Input) => Promise<number | void>;

/** A command as data, with its code. */
export type Command = CommandSpec<Handler>;

export class Cli {
  readonly values: GlobalValues;
  readonly io: Io;
  readonly output: Output;
  /** Aborts at Ctrl-C and SIGTERM, and once `--dry-run` has its request. */
  readonly signal: AbortSignal;
  readonly #controller: AbortController;
  readonly #makers: Makers;
  readonly settings: UserSettings;
  #dryRequest: DryRequest | undefined;
  #stdin: Promise<Buffer> | undefined;
  #client: Promise<Client> | undefined;
  #credential: Promise<CredentialSource> | undefined;
  #models: Promise<OwnModels> | undefined;
  #questions: Promise<Questions> | undefined;
  /** Why a key must not go to a host. It is reported in place of the library's ConfigError, which does not contain it. */
  refusal: unknown;
  /** How to get a result that exists already, as advice. It is free, where running the command again may be billed. */
  freeWay: string | undefined;
  /** True after the entries of NO_PROXY that no rule reads were named. */
  hasNamedExceptions = false;
  /** A copy of the reply of the last call that was no stream. */
  lastReply: (() => unknown) | undefined;
  readonly #kept = new WeakSet<object>();
  /** Printed after Ctrl-C, for instance `Resume with: modelsvc jobs wait ID`. */
  interruptNote: string | undefined;

  constructor(values: GlobalValues, io: Io, controller: AbortController, makers: Makers, settings: UserSettings = new Map()) {
    this.values = values;
    this.settings = settings;
    this.io = io;
    this.#controller = controller;
    this.#makers = makers;
    this.signal = controller.signal;
    // Reading stdin takes no signal, so an abort ends the stream.
    this.signal.addEventListener('abort', () => void io.stdin.destroy());
    const format = values.json === true ? 'json' : (values.output ?? (this.setting('output') as Format | undefined) ?? 'text');
    const color = wantsColor({ when: values.color, env: io.env, isTTY: io.stdout.isTTY === true });
    this.output = new Output(io, { format, quiet: values.quiet === true, rawOutput: values.rawOutput === true, paint: color ? painted : plain });
  }

  /** The client for the chosen account. Makes no request. Throws a CliError with exit code 3 if there is no key. `changes` cannot select another host. */
  client(changes: Pick<Config, 'budget' | 'concurrency' | 'hooks' | 'maxRetries'> = {}): Promise<Client> {
    this.#client ??= this.#makers.client(this);
    return Object.keys(changes).length === 0 ? this.#client : this.#client.then((client) => client.with(changes));
  }

  /** The key and its source. Does not load the library. */
  credential(): Promise<CredentialSource> {
    this.#credential ??= this.#makers.credential(this);
    return this.#credential;
  }

  /** The user's models, unchecked: the client checks them. Throws a CliError if the file cannot be read. */
  models(): Promise<OwnModels> {
    this.#models ??= this.#makers.models(this);
    return this.#models;
  }

  /** The value of a setting; undefined if the user has set none. */
  setting(name: string): string | undefined {
    return this.settings.get(name)?.value?.toString();
  }

  /** The id of a model, which may be given by its alias. */
  modelId(name: string): string {
    return this.setting(`alias.${name}`) ?? name;
  }

  /** True if the first request is printed and not sent. */
  get isDryRun(): boolean {
    return this.values.dryRun !== undefined;
  }

  /** The request that `--dry-run` prints, once there is one. */
  get dryRequest(): DryRequest | undefined {
    return this.#dryRequest;
  }

  /** True with `--no-log`: no prompt may reach a file of the program. */
  get isPrivate(): boolean {
    return this.values.log === false;
  }

  /** Keeps the request and ends the command, whose further output is dropped. */
  endDryRun(request: DryRequest): void {
    this.#dryRequest ??= request;
    this.output.isSilent = true;
    this.#controller.abort(new CliError('ended by --dry-run'));
  }

  /** The context of a call: aborts at Ctrl-C. */
  get ctx(): Context {
    return { signal: this.signal };
  }

  /** All of stdin as text; can be called more than once. `imageCure` is the advice for an image. */
  async stdinText(imageCure?: string): Promise<string> {
    return decoded('stdin', await this.stdinBytes(), imageCure);
  }

  /** All of stdin; can be called more than once. */
  stdinBytes(): Promise<Buffer> {
    if (this.values.apiKeyStdin === true)
      return Promise.reject(usageError('stdin contains the API key already (--api-key-stdin)', 'Use --api-key-file for the key.'));
    this.#stdin ??= bytesOf(this.stdin());
    return this.#stdin;
  }

  /** Stdin as it arrives, with a note during a long wait. It can be read once. */
  stdin(): AsyncIterable<Buffer> {
    return stdinBlocks(this.io.stdin, () => this.output.note('Waiting for stdin. Pass < /dev/null if it has no input.'));
  }

  /** True if stdin is a pipe or a file, and not the source of the API key. */
  get hasStdin(): boolean {
    return this.io.stdin.isTTY !== true && this.values.apiKeyStdin !== true;
  }

  /** True if questions may be asked. A terminal that was read to its end as stdin gives no more answers. */
  get isInteractive(): boolean {
    const { stdin, stderr, env } = this.io;
    return this.values.input !== false && !env['CI'] && stdin.isTTY === true && stdin.readable && stderr.isTTY === true;
  }

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

  /** Prints the last reply if a command could not read it. False for another error. */
  async printsOdd(error: unknown): Promise<boolean> {
    const reply = isOddReply(error) ? this.lastReply?.() : undefined;
    if (reply === undefined) return false;
    if (this.values.debug === true) this.output.warn((error as Error).stack ?? '');
    await this.output.odd(reply);
    return true;
  }

  /** A line of progress. `plainEveryMs` is for work of hours: the time between two plain lines if stderr is no terminal. */
  progress(plainEveryMs?: number): ProgressLine {
    const isWanted = this.values.progress !== false && this.values.quiet !== true && !this.io.env['CI'];
    return progressLine(this.io.stderr, isWanted, plainEveryMs);
  }

  /** Asks before something is deleted. Without a terminal `--yes` is needed. */
  async confirm(question: string): Promise<void> {
    if (this.values.yes === true || this.isDryRun) return;
    if (!this.isInteractive) throw usageError(question, 'Confirm with --yes.');
    if ((await this.ask(question)) !== 'yes') throw new CliError('not confirmed', exitCodes.error);
  }

  /** Asks a question on the terminal, which may quote foreign text. Ctrl-C ends the command. `always` offers consent for what it names. */
  async ask(question: string, always?: string): Promise<Consent> {
    const answer = await (await this.questions()).consent(question, always);
    if (answer === 'interrupted') this.#controller.abort(new CliError('interrupted', exitCodes.interrupted));
    this.signal.throwIfAborted();
    return answer;
  }

  /** The one reader of answers. Check `isInteractive` first. */
  questions(): Promise<Questions> {
    this.#questions ??= import('./terminal/questions.ts').then((module) => new module.Questions(this.io, this.signal));
    return this.#questions;
  }
}
