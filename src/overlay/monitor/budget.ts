import { usageIsResultPaths } from '../../generated/routes.ts';
import type { PricedCall } from '../call/settings/purse.ts';
import type { Budget, BudgetLimits, Spent } from '../config.ts';
import { BudgetError, type BudgetUnit } from '../errors/budget-error.ts';
import { isConnectionError } from '../errors/guards.ts';
import { configured } from '../errors/problem.ts';
import type { Hook, OperationContent, OperationMeta, OperationOutcome } from '../hooks/hook.ts';
import { fieldsOf, jsonOrUndefined, listOf, textOf } from '../json/json-value.ts';
import { checkFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { cleanToken } from '../secrets/clean.ts';
import { costOf, creditsOf } from './cost.ts';
import { catalogueRow, type OwnRows } from './model-info.ts';
import { type TokenCount, tokensOf } from './tokens.ts';

const units: readonly BudgetUnit[] = ['usd', 'credits', 'tokens'];
/** Free on the service, though a repetition stores a second file. */
const freeRoutes: readonly (string | undefined)[] = ['files.upload'];
const probe: TokenCount = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0, totalTokens: 1 };

class CountedBudget implements Budget {
  readonly limits: BudgetLimits;
  #spent: Spent = Object.freeze({ usd: 0, credits: 0, tokens: 0, estimated: false });

  constructor(limits: BudgetLimits) {
    this.limits = configured(() => checkedLimits(limits));
  }

  get spent(): Spent {
    return this.#spent;
  }

  /** Throws a BudgetError if the call may not be sent. */
  ask({ operation, route, endpoint, body, secrets, ...call }: PricedCall, models: OwnRows): void {
    if (route.method === 'GET' || route.bills === false || freeRoutes.includes(route.id)) return;
    const { usd, credits = usd } = this.limits;
    const request = credits !== undefined && typeof body === 'string' ? fieldsOf(jsonOrUndefined(body)) : {};
    const model = call.model || textOf(request['model']) || '';
    this.#check(operation, (unit) => {
      const isJob = route.performs === 'creation' && !catalogueRow(model, models)?.item_price;
      if (isJob || priceOf(unit, model, probe, request, models) === undefined)
        return unpriced(unit, model === '' || isJob ? 'this call' : cleanToken(model, secrets));
      if (unit !== 'usd') return undefined;
      const own = models.get(model);
      const isElsewhere = endpoint.origin.endsWith('bigmodel.cn') || endpoint.root.includes('/coding/');
      if (isElsewhere && !own?.price && !own?.item_price)
        return [`the prices in usd do not apply to ${endpoint.root}`, 'Add a row with your price to Config.models, or limit credits or tokens.'];
      if (listOf(request['tools']).some((tool) => /^web_search/.test(String(fieldsOf(tool)['type']))))
        return ['a budget of usd cannot price the web search of the service', 'Leave out that tool, or limit tokens.'];
      return undefined;
    });
  }

  /** Throws for a limit that is used up, and for a unit of money with a reason against it. */
  #check(operation: string, reasonAgainst: (unit: PricedUnit) => Reason | undefined): void {
    for (const unit of units) {
      const limit = this.limits[unit];
      if (limit === undefined) continue;
      const spent = this.#spent[unit];
      const usedUp: Reason = [`the budget of ${limit} ${unit} is used up: ${rounded(spent)} ${unit} are spent`, 'Use a budget with more.'];
      const reason = spent >= limit ? usedUp : unit === 'tokens' ? undefined : reasonAgainst(unit);
      if (reason) throw new BudgetError(operation, { unit, spent, limit }, ...reason);
    }
  }

  /** The hook that charges the calls of one client. */
  hookFor(models: OwnRows): Hook<unknown, OperationContent> {
    return {
      onStart: (_operation, content) => content,
      onEnd: (operation, outcome, content) => this.#charge(operation, outcome, content, models),
    };
  }

  #charge(operation: OperationMeta, outcome: OperationOutcome, content: OperationContent, models: OwnRows): void {
    if (operation.kind !== 'call' || operation.method === 'GET' || usageIsResultPaths.includes(operation.endpoint)) return;
    const counts = tokensOf(outcome.usage);
    // A message begins with counts of 0.
    const seen = outcome.usageIsFinal === false && counts?.totalTokens === 0 ? undefined : counts;
    if (!seen && !mayBeBilled(operation, outcome)) return;
    const request = fieldsOf(content.request());
    const model = operation.model || textOf(request['model']) || outcome.model || '';
    const count = seen ?? longest(model, request, models);
    const isEstimated = outcome.usageIsFinal === false || (!seen && count.totalTokens > 0);
    this.#add(model, count, isEstimated, request, models);
  }

  #add(model: string, count: TokenCount, isEstimated: boolean, request: object, models: OwnRows): void {
    // Counts that do not add up cost no more than output.
    const atOutput = outputOf(count.totalTokens);
    const priced = (unit: PricedUnit): number => priceOf(unit, model, count, request, models) ?? priceOf(unit, model, atOutput, request, models) ?? 0;
    this.#spent = Object.freeze({
      usd: this.#spent.usd + priced('usd'),
      credits: this.#spent.credits + priced('credits'),
      tokens: this.#spent.tokens + count.totalTokens,
      estimated: this.#spent.estimated || isEstimated,
    });
  }
}

/**
 * Makes a budget for `Config.budget`. Each call asks it before it is sent, and is charged when it ends. Calls that run at the same time can
 * exceed it by what they cost, because the input of a call is not counted beforehand.
 *
 * Reads, uploads and counting tokens are free. A call that `usd` or `credits` cannot price is refused with a BudgetError: media without a
 * price in the catalogue, agents, jobs of chat and batches. `usd` also refuses web search, and the china host and the coding root without
 * a price in `Config.models`. A stream that broke off is charged by the last counts that it sent, or as `max_tokens` of output; `spent.estimated`
 * is then true. Throws a ConfigError if a limit is invalid.
 *
 * @example
 * ```ts
 * const budget = newBudget({ usd: 2 });
 * const thrifty = newClient({ apiKey: 'your-api-key', budget });
 * await thrifty.chat().createSimple(undefined, 'glm-5.3', 'Write a haiku about rain.');
 * console.log(budget.spent.usd);
 * ```
 */
export function newBudget(limits: BudgetLimits): Budget {
  return new CountedBudget(limits);
}

function checkedLimits(limits: BudgetLimits): BudgetLimits {
  checkFields<BudgetLimits>(limits, { usd: 1, credits: 1, tokens: 1 }, 'budget', 'pass at least one of { usd, credits, tokens }');
  const given = units.filter((unit) => limits[unit] !== undefined);
  if (given.length === 0) throw new Problem('budget', 'needs at least one of usd, credits and tokens');
  for (const unit of given) {
    const limit: unknown = limits[unit];
    if (typeof limit !== 'number' || !(limit >= 0 && limit < Number.POSITIVE_INFINITY))
      throw new Problem(`budget.${unit}`, 'must be a number of at least 0');
  }
  return Object.freeze({ ...limits });
}

type PricedUnit = Exclude<BudgetUnit, 'tokens'>;

type Reason = readonly [problem: string, advice: string];

function unpriced(unit: PricedUnit, what: string): Reason {
  return [`a budget of ${unit} cannot price ${what}`, 'Add its model with a price to Config.models, or limit tokens.'];
}

/** The price of a call; undefined if it is not known. */
function priceOf(unit: PricedUnit, model: string, count: TokenCount, request: object, models: OwnRows): number | undefined {
  if (unit === 'credits') return creditsOf(model, count, new Date(), models);
  const item = catalogueRow(model, models)?.item_price;
  if (item) return item.item === 'image' || item.item === 'video' ? item.usd * Number(fieldsOf(request)['n'] ?? 1) : undefined;
  return costOf(model, count, models);
}

/** True if a reply without counts may cost money: an answer of a model, a stream that began, or a request whose reply was lost. */
function mayBeBilled({ route }: OperationMeta, { kind, error, firstChunkMs }: OperationOutcome): boolean {
  if (kind === 'ok') return !freeRoutes.includes(route);
  return firstChunkMs !== undefined || (isConnectionError(error) && (error.phase === 'headers' || error.phase === 'body'));
}

/** The most output that a request can cost. */
function longest(model: string, request: object, models: OwnRows): TokenCount {
  const fields = fieldsOf(request);
  const asked =
    fields['max_tokens'] ?? fields['max_completion_tokens'] ?? fields['max_output_tokens'] ?? catalogueRow(model, models)?.max_output_tokens;
  return outputOf(typeof asked === 'number' && asked > 0 ? asked : 0);
}

function outputOf(tokens: number): TokenCount {
  return { inputTokens: 0, cachedInputTokens: 0, outputTokens: tokens, totalTokens: tokens };
}

/** For people: no digits of a float's error. */
function rounded(amount: number): string {
  return String(Number(amount.toPrecision(6)));
}
