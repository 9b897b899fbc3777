import { type Arriving, type Door, type Fate, OuterDoor } from '../call/door.ts';
import type { PricedCall, Purse } from '../call/settings/purse.ts';
import type { Budget, BudgetLimits, BudgetSpent } from '../config.ts';
import { BudgetError, type BudgetUnit } from '../errors/budget-error.ts';
import { configured } from '../errors/problem.ts';
import { fieldsOf, isObject, jsonOrUndefined, labelOf, listOf } from '../json/json-value.ts';
import { checkFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { cleanToken } from '../secrets/clean.ts';
import { Arrived, promptTokens } from './arrived.ts';
import { costOf } from './cost.ts';
import { catalogueRow, type OwnRows } from './model-info.ts';
import { isAbsurd, type TokenCount, tokensOf } from './tokens.ts';

const units: readonly BudgetUnit[] = ['usd', 'tokens'];
/** Jobs whose estimate waits for their result. */
const maxJobs = 10_000;
const none: TokenCount = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** The price of an attempt. */
interface Charge {
  readonly usd: number;
  readonly tokens: number;
  readonly isEstimate: boolean;
}

class CountedBudget implements Purse {
  readonly limits: BudgetLimits;
  #spent: BudgetSpent = Object.freeze({ usd: 0, tokens: 0, estimated: false });
  #estimates = 0;
  /** By the id of a job: replaces its estimate by counts. */
  readonly #jobs = new Map<string, (count: TokenCount) => void>();

  constructor(limits: BudgetLimits) {
    this.limits = configured(() => checkedLimits(limits));
  }

  get spent(): BudgetSpent {
    return this.#spent;
  }

  doorOf(call: PricedCall, models: OwnRows, inner: Door): Door | undefined {
    if (call.charges) return new BudgetDoor(this, call, models, inner);
    const id = new URL(call.url).pathname.split('/').at(-1) ?? '';
    const correct = this.#jobs.get(id);
    // A call that only reads has an open door.
    const ended = ({ usage }: Fate): void => {
      const count = tokensOf(usage);
      // The result of a job counts once.
      if (count && this.#jobs.delete(id)) correct?.(count);
    };
    return correct && { ...inner, ended };
  }

  refuseBatch(operation: string): void {
    const advice = 'Send its requests one by one with mapCalls, or create it with a client without a budget.';
    throw this.refusal(operation, 'the cost of a batch is not known before its results', advice);
  }

  /** Throws a BudgetError if a limit is used up, or if the reason is one against a limit in US dollars. */
  check(operation: string, isAgain: boolean, reasonAgainstUsd: () => Reason | undefined): void {
    for (const unit of units) {
      const limit = this.limits[unit];
      if (limit === undefined) continue;
      const spent = this.#spent[unit];
      const summary = `budget used up: ${amountsOf(unit, spent, limit)} spent; the call was not sent${isAgain ? ' again' : ''}`;
      const advice = `Raise ${unit} in newBudget, or use another budget.`;
      const reason: Reason | undefined = spent >= limit ? [summary, advice] : unit === 'usd' ? reasonAgainstUsd() : undefined;
      if (reason) throw new BudgetError(operation, { unit, spent, limit }, ...reason);
    }
  }

  /** The error of a call that no limit can count. */
  refusal(operation: string, ...reason: Reason): BudgetError {
    const unit = this.limits.usd === undefined ? 'tokens' : 'usd';
    return new BudgetError(operation, { unit, spent: this.#spent[unit], limit: this.limits[unit] ?? 0 }, ...reason);
  }

  add({ usd, tokens, isEstimate }: Charge, before?: Charge): void {
    this.#estimates += Number(isEstimate) - Number(before?.isEstimate ?? false);
    const { usd: dollars, tokens: count } = this.#spent;
    const spent = { usd: dollars - (before?.usd ?? 0) + usd, tokens: count - (before?.tokens ?? 0) + tokens };
    this.#spent = Object.freeze({ ...spent, estimated: this.#estimates > 0 });
  }

  /** Keeps the estimate of a job until its result comes. */
  open(id: string, correct: (count: TokenCount) => void): void {
    const [oldest = ''] = this.#jobs.keys();
    if (this.#jobs.size >= maxJobs) this.#jobs.delete(oldest);
    this.#jobs.set(id, correct);
  }
}

/** Charges each attempt of one call. */
class BudgetDoor extends OuterDoor {
  readonly #budget: CountedBudget;
  readonly #call: PricedCall;
  readonly #models: OwnRows;
  readonly #request: RequestFacts;
  #isOpen = false;
  #arrived: Arrived | undefined;

  constructor(budget: CountedBudget, call: PricedCall, models: OwnRows, inner: Door) {
    super(inner);
    this.#budget = budget;
    this.#call = call;
    this.#models = models;
    this.#request = factsOf(call.body);
  }

  check(attempt: number): void {
    const { operation, route } = this.#call;
    const { n } = this.#request;
    if (route.id === 'batch.create') this.#budget.refuseBatch(operation);
    // Other operations have no number of results, whatever is sent under this name.
    if (/^(chat|images|videos)\./.test(route.id ?? 'chat.') && !(Number.isSafeInteger(n) && n > 0))
      throw this.#budget.refusal(operation, 'n must be a positive integer, because a budget multiplies by it', 'Correct it, or leave it out.');
    this.#budget.check(operation, attempt > 0, () => reasonAgainst(this.#call, this.#request, this.#models));
    this.#isOpen = true;
    this.#arrived = undefined;
  }

  override replied(reply: Arriving): void {
    this.#arrived = new Arrived(reply, this.#call.reply);
  }

  charge({ billed, usage, value }: Fate): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (billed === 'no') return;
    const { asked, route } = this.#call;
    const arrived = this.#arrived;
    const body = fieldsOf(value ?? arrived?.json);
    const told = usage ?? body['usage'] ?? arrived?.usage;
    const seen = isAbsurd(told) ? undefined : tokensOf(told);
    const isWhole = billed === 'yes' || arrived?.isWhole === true;
    // A stream of messages begins with counts of 0.
    const isCounted = seen !== undefined && (isWhole || isObject(usage)) && !(arrived?.isEvents && seen.totalTokens === 0);
    // Neither media nor searches are billed by tokens.
    const isByToken = !catalogueRow(asked, this.#models)?.item_price && (asked !== '' || (route.id ?? 'agents.').startsWith('agents.'));
    const isJob = route.performs === 'creation' && isByToken && !isCounted;
    const count = isCounted || !isByToken ? (seen ?? none) : this.#estimate(seen ?? none, isJob);
    const charge = this.#priced(count, !isCounted && (isByToken || !isWhole));
    this.#budget.add(charge);
    const id = labelOf(body['id']);
    if (isJob && id !== '') this.#budget.open(id, (later) => this.#budget.add(this.#priced(later, false), charge));
  }

  /** The prompt by its bytes, and the answer by what arrived of it, else by the longest one. */
  #estimate(seen: TokenCount, isJob: boolean): TokenCount {
    const { isStream, n, maxTokens } = this.#request;
    const { kind = '', max_output_tokens: ofModel = maxTokens } = catalogueRow(this.#call.asked, this.#models) ?? {};
    const longest = Math.min(maxTokens, ofModel) * n;
    const { isEvents = isStream, tokens = isEvents ? 0 : longest } = this.#arrived ?? {};
    const written = isJob ? longest : isEvents ? tokens : Math.min(tokens, longest);
    const isAnswer = Number.isFinite(written) && !/^(embedding|rerank|moderation)$/.test(kind);
    const inputTokens = seen.inputTokens || promptTokens(this.#call.body);
    const outputTokens = Math.max(isAnswer ? written : 0, seen.outputTokens);
    return { ...seen, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  #priced(count: TokenCount, isEstimate: boolean): Charge {
    const price = (one: TokenCount): number | undefined => priceOf(this.#call.asked, one, this.#request.n, this.#models);
    // Counts that do not add up cost no more than output.
    const usd = price(count) ?? price({ ...none, outputTokens: count.totalTokens, totalTokens: count.totalTokens }) ?? 0;
    return { usd, tokens: count.totalTokens, isEstimate };
  }
}

/**
 * Makes a budget for `Config.budget`. Each attempt asks it before it is sent, and is charged when its reply has ended, by the counts of the
 * reply. So what passes a limit is at most what was in flight when it was reached: a small `concurrency` makes that small.
 *
 * An attempt without counts is charged by an estimate: the prompt by its bytes, and the answer by what arrived of it, or by `max_tokens` if its
 * reply was lost. `spent.estimated` is then true. The result of a chat job replaces its estimate. Free operations and refused attempts are not
 * charged. Throws a ConfigError if a limit is invalid.
 *
 * Batches are refused with a BudgetError. So is, with `usd`, a call without a price: media without a price in the catalogue, agents and web search.
 * The china host and the coding root need a price in `Config.models`.
 *
 * @example
 * ```ts
 * const budget = newBudget({ usd: 2 });
 * const thrifty = newClient({ apiKey: 'your-api-key', budget });
 * await thrifty.chat().createSimple('glm-5.3', 'Write a haiku about rain.', { effort: 'low' });
 * console.log(budget.spent.usd);
 * ```
 */
export function newBudget(limits: BudgetLimits): Budget {
  return new CountedBudget(limits);
}

function checkedLimits(limits: BudgetLimits): BudgetLimits {
  if (typeof limits === 'number') throw new Problem('budget', `must name its unit, because a number is not understood: { usd: ${limits} }`);
  if (fieldsOf(limits)['credits'] !== undefined)
    throw new Problem('budget.credits', 'is not a unit: the windows of the plan are the limit there, and quota() shows them; use usd or tokens');
  checkFields<BudgetLimits>(limits, { usd: 1, tokens: 1 }, 'budget', 'pass at least one of { usd, tokens }');
  const given = units.filter((unit) => limits[unit] !== undefined);
  if (given.length === 0) throw new Problem('budget', 'needs usd or tokens');
  for (const unit of given) {
    const limit: unknown = limits[unit];
    if (typeof limit !== 'number' || !(limit >= 0 && limit < Number.POSITIVE_INFINITY))
      throw new Problem(`budget.${unit}`, 'must be a number of at least 0');
  }
  return Object.freeze({ ...limits });
}

type Reason = readonly [problem: string, advice: string];

/** Why a limit in US dollars cannot price a call. */
function reasonAgainst({ asked, endpoint, secrets }: PricedCall, { n, searches }: RequestFacts, models: OwnRows): Reason | undefined {
  if (priceOf(asked, { ...none, inputTokens: 1, totalTokens: 1 }, n, models) === undefined)
    return [
      `a budget of usd cannot price ${cleanToken(asked, secrets) || 'this call'}`,
      'Add its model with a price to Config.models, or limit tokens.',
    ];
  const own = models.get(asked);
  const isElsewhere = endpoint.origin.endsWith('bigmodel.cn') || endpoint.root.includes('/coding/');
  if (isElsewhere && !own?.price && !own?.item_price)
    return [`the prices in usd do not apply to ${endpoint.root}`, 'Add a row with your price to Config.models, or limit tokens.'];
  if (searches) return ['a budget of usd cannot price the web search of the service', 'Leave out that tool, or limit tokens.'];
  return undefined;
}

/** The price of a call in US dollars; undefined if it is not known. */
function priceOf(model: string, count: TokenCount, n: number, models: OwnRows): number | undefined {
  const item = catalogueRow(model, models)?.item_price;
  if (item) return item.item === 'image' || item.item === 'video' ? item.usd * n : undefined;
  return costOf(model, count, models);
}

/** The facts of a request that decide its price. */
interface RequestFacts {
  /** Number of results. NaN for a value that is not a number. */
  readonly n: number;
  readonly isStream: boolean;
  /** Infinity without a limit. */
  readonly maxTokens: number;
  readonly searches: boolean;
}

function factsOf(body: unknown): RequestFacts {
  const { n, stream, tools, ...fields } = fieldsOf(typeof body === 'string' ? jsonOrUndefined(body) : undefined);
  const limit = fields['max_tokens'] ?? fields['max_completion_tokens'] ?? fields['max_output_tokens'];
  return {
    n: n === undefined || n === null ? 1 : typeof n === 'number' ? n : Number.NaN,
    isStream: stream === true,
    maxTokens: typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 ? limit : Number.POSITIVE_INFINITY,
    searches: listOf(tools).some((tool) => /^web_search/.test(String(fieldsOf(tool)['type']))),
  };
}

/** For people: dollars with at least two digits of the limit that are not 0. */
function amountsOf(unit: BudgetUnit, spent: number, limit: number): string {
  if (unit === 'tokens') return `${spent.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} tokens`;
  const digits = Math.min(Math.max(2, 1 - Math.floor(Math.log10(limit || 1))), 20);
  return `$${spent.toFixed(digits)} of $${limit.toFixed(digits)}`;
}
