// A run: sends the planned probes one after the other, and keeps the bundle complete at each moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from 'modelsvc';
import { fileProblem } from '../../../store/error.ts';
import { replaceFile } from '../../../store/replace.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../errors/exit.ts';
import { placeOf } from '../api/surface.ts';
import { type Answered, type Bundle, bundleText, publicExchange } from './bundle.ts';
import type { Claims } from './claims.ts';
import type { Planned } from './plan.ts';
import type { ClaimProbe } from './probes/probe.ts';
import type { Vocabulary } from './reply.ts';
import type { ProbeAnswer, ProbeSender } from './sender.ts';
import { causeOf, findingsOf } from './verdicts.ts';

/** Longest wait for a rate limit, for each probe. */
const mostWaitMs = 60_000;
const firstWaitMs = 5000;
const mostTries = 5;
/** After this many failed connections in a row, the rest of a host is left for another run. */
const mostFailures = 3;

export interface ConfirmRunOptions {
  readonly cli: Cli;
  readonly wire: ProbeSender;
  readonly claims: Claims;
  readonly words: Vocabulary;
  readonly apiKey: string;
  readonly file: string;
  readonly head: Omit<Bundle, 'answered' | 'open'>;
  /** Claims that need all of their probes, with the names of these. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** The command that continues the run. */
  readonly resume: string;
}

export class ConfirmRun {
  readonly answered: Answered[];
  /** Probes without an answer, with the reason. */
  readonly unanswered: Map<string, string> = new Map<string, string>();
  readonly #options: ConfirmRunOptions;
  /** Roots that do not work with this key or now, with the reason. */
  readonly #closed = new Map<string, string>();
  #failures = 0;

  constructor(options: ConfirmRunOptions, answered: readonly Answered[]) {
    this.#options = options;
    this.answered = [...answered];
  }

  async run(planned: readonly Planned[]): Promise<void> {
    const { cli } = this.#options;
    const progress = cli.progress();
    try {
      for (const [index, { probe, url }] of planned.entries()) {
        progress.show(`probe ${index + 1} of ${planned.length}: ${probe.name}`);
        const { host } = url;
        const root = `${host} ${placeOf(probe.template).surface}`;
        const why = this.#closed.get(host) ?? this.#closed.get(root) ?? (await this.#probe(probe, url, root));
        if (why !== undefined) this.unanswered.set(probe.name, why);
      }
    } finally {
      progress.done();
    }
  }

  /** Sends a probe. Returns why there is no answer; undefined if there is one. */
  async #probe(probe: ClaimProbe, url: URL, root: string): Promise<string | undefined> {
    const { cli, claims, words, apiKey } = this.#options;
    let answer: ProbeAnswer;
    try {
      answer = await this.#patiently(probe, url);
    } catch (error) {
      cli.signal.throwIfAborted();
      const why = whyNoReply(error);
      this.#failures++;
      if (this.#failures === mostFailures) this.#closed.set(url.host, why);
      return why;
    }
    this.#failures = 0;
    const { findings, cause } = findingsOf(probe, answer.reply, claims, words);
    if (cause !== undefined) {
      // Without a key that is accepted, each further request would fail alike.
      if (cause.category === 'auth') this.#closed.set(root, cause.why);
      return cause.why;
    }
    this.answered.push({ probe: probe.name, exchange: publicExchange(answer.exchange, apiKey), findings });
    await this.#save();
    return undefined;
  }

  /** Waits for a rate limit, with a note. */
  async #patiently(probe: ClaimProbe, url: URL): Promise<ProbeAnswer> {
    const { cli, wire, claims } = this.#options;
    let waitedMs = 0;
    for (let tries = 1; ; tries++) {
      const answer = await wire.send(probe, url);
      const waitMs = answer.retryAfter || firstWaitMs * 2 ** (tries - 1);
      const isLimited = causeOf(answer.reply, claims)?.category === 'rate';
      if (!isLimited || tries === mostTries || waitedMs + waitMs > mostWaitMs) return answer;
      cli.output.note(`${probe.name}: rate limit; waiting ${waitMs / 1000} s, at most ${mostWaitMs / 1000} s for a probe`);
      await sleep(waitMs, undefined, { signal: cli.signal });
      waitedMs += waitMs;
    }
  }

  async #save(): Promise<void> {
    const { cli, file, head, parts, resume } = this.#options;
    const names = new Set(this.answered.map(({ probe }) => probe));
    const isOpen = (probes: readonly string[]): boolean => probes.some((name) => names.has(name)) && !probes.every((name) => names.has(name));
    const open = [...parts].filter(([, probes]) => isOpen(probes)).map(([id]) => id);
    try {
      await replaceFile(file, bundleText({ ...head, answered: this.answered, open }), { mode: 0o644 });
      cli.interruptNote = resume;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
      throw new CliError(`the bundle cannot be written: ${fileProblem(file, error as NodeJS.ErrnoException)}`);
    }
  }
}

/** Without the message of the error, which may quote the reply. */
function whyNoReply(error: unknown): string {
  if (isConnectionError(error)) return 'not reachable now: no reply';
  return error instanceof CliError ? error.message : 'not reachable now: the reply cannot be read';
}
