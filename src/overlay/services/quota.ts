import type { operations } from '../../generated/operations.ts';
import { quotaGetActivity, quotaGetCreditUsage, quotaGetLimit, quotaGetModelUsage, quotaGetToolUsage, type Route } from '../../generated/routes.ts';
import type { CreditActivity, CreditUsage, ModelUsage, Quota, QuotaLimit, ToolUsage } from '../../generated/types.ts';
import { type ReplyOf, requestJson } from '../call/operations/request-json.ts';
import { type Received, responseInfo } from '../call/reply/response-info.ts';
import type { InputOf, ParametersOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { ApiError } from '../errors/errors.ts';
import { apiFailure } from '../errors/failure.ts';
import { configured } from '../errors/problem.ts';
import { formatServerTime } from '../errors/server-time.ts';
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { checkFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { dataOf } from '../monitor/envelope.ts';

/** A plan and its limits. `limits` is empty for an account without a plan; next to a `level`, the service did not send the use of the plan. */
export interface QuotaLimits extends Quota {
  limits: QuotaLimit[];
}

/** A time range in full seconds; milliseconds are dropped. */
export interface UsageWindow {
  readonly start: Date;
  /** Not before `start`. */
  readonly end: Date;
}

/** Limits and current use of the coding plan. All calls are free. With `Config.team` they are of the team's plan. */
export class Quotas {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * The plan's limits and how much of each is used. `quotaWindow` names a limit.
   *
   * @example
   * ```ts
   * const { limits } = await c.quota().getLimit();
   * for (const limit of limits) console.log(quotaWindow(limit), limit.percentage);
   * ```
   */
  getLimit(ctx?: CallContext): Promise<Received<QuotaLimits>> {
    return getLimit(this.#settings, ctx, quotaGetLimit.id);
  }

  /**
   * Calls and tokens per model over a time range, in hourly steps up to 8 days and in daily steps beyond. Labels of steps are on the
   * service's clock (UTC+8). A range that is too long fails with an ApiError with code 500. Empty for an account without a plan.
   */
  getModelUsage(window: UsageWindow): Promise<Received<ModelUsage>>;
  getModelUsage(ctx: CallContext, window: UsageWindow): Promise<Received<ModelUsage>>;
  getModelUsage(...given: Called<[window: UsageWindow]>): Promise<Received<ModelUsage>> {
    const [ctx, window] = contextFirst(given, given.length < 2);
    return getModelUsage(this.#settings, ctx, quotaGetModelUsage.id, window);
  }

  /** Calls of the plan's tools over a time range, in the same steps as `getModelUsage`. */
  getToolUsage(window: UsageWindow): Promise<Received<ToolUsage>>;
  getToolUsage(ctx: CallContext, window: UsageWindow): Promise<Received<ToolUsage>>;
  getToolUsage(...given: Called<[window: UsageWindow]>): Promise<Received<ToolUsage>> {
    const [ctx, window] = contextFirst(given, given.length < 2);
    return monitored(this.#settings, quotaGetToolUsage, ctx, () => ({ parameters: windowParameters(this.#settings, window) }));
  }

  /**
   * Credits and tokens of a V3 plan over a time range, by the hour up to 6 days and by the day beyond. `usageType` selects the series of
   * models or, with `MCP`, of the plan's tools. `modelCredits` of `modelsvc/monitor` reads the rows of models. Evidence: reported.
   */
  getCreditUsage(window: UsageWindow, usageType?: 'MODEL' | 'MCP'): Promise<Received<CreditUsage>>;
  getCreditUsage(ctx: CallContext, window: UsageWindow, usageType?: 'MODEL' | 'MCP'): Promise<Received<CreditUsage>>;
  getCreditUsage(...given: Called<[window: UsageWindow, usageType?: 'MODEL' | 'MCP' | undefined]>): Promise<Received<CreditUsage>> {
    const [ctx, window, usageType = 'MODEL'] = contextFirst(given, given.length < 3 && !isFields(given[1]));
    return monitored(this.#settings, quotaGetCreditUsage, ctx, () => ({ parameters: { ...creditParameters(this.#settings, window), usageType } }));
  }

  /** Credits, tokens and calls of a V3 plan for each day of a time range of up to a year. Evidence: reported. */
  getActivity(window: UsageWindow): Promise<Received<CreditActivity>>;
  getActivity(ctx: CallContext, window: UsageWindow): Promise<Received<CreditActivity>>;
  getActivity(...given: Called<[window: UsageWindow]>): Promise<Received<CreditActivity>> {
    const [ctx, window] = contextFirst(given, given.length < 2);
    return monitored(this.#settings, quotaGetActivity, ctx, () => ({ parameters: creditParameters(this.#settings, window) }));
  }
}

export async function getLimit(settings: Settings, ctx: CallContext, operation: string): Promise<Received<QuotaLimits>> {
  const quota = await monitored(settings, quotaGetLimit, ctx, () => ({ parameters: teamParameters(settings) }), operation);
  // Changed in place, so that responseInfo still finds the object.
  quota.limits = (listOf(quota.limits) as QuotaLimit[]).filter(isFields);
  return quota as QuotaLimits;
}

export function getModelUsage(settings: Settings, ctx: CallContext, operation: string, window: UsageWindow): Promise<Received<ModelUsage>> {
  return monitored(settings, quotaGetModelUsage, ctx, () => ({ parameters: windowParameters(settings, window) }), operation);
}

/** The data of a monitor operation. A key without a plan of its own, or a route that a host lacks, is not a failure of the server to ask again. */
async function monitored<Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: () => InputOf<Operation>,
  operation: string = route.id,
): Promise<Received<DataOf<Operation>>> {
  const marked = { ...route, isTask: (body: Fields) => !!finalOf(body, settings) };
  const reply: Received<object> = await requestJson(settings, marked, ctx, input, operation);
  const fields = fieldsOf(reply);
  const final = finalOf(fields, settings);
  if (!final) return dataOf<DataOf<Operation>>(reply, {} as DataOf<Operation>);
  const { status, requestId, attempts } = responseInfo(reply);
  const envelope = { code: '500', message: String(fields['msg']), requestId };
  const failure = apiFailure(envelope, { operation, surface: 'monitor', status, requestId, secrets: settings.secrets });
  throw new ApiError({ ...failure, ...final, retryable: false, attempts });
}

/** Failures of code 500 that no retry changes. */
function finalOf(body: Fields, { config: { team } }: Settings): Pick<ApiError, 'category' | 'advice'> | undefined {
  if (isWithoutPlan(body))
    return {
      category: 'quota',
      advice: team
        ? 'Config.team has no plan for this key. A personal key needs no team.'
        : "This key has no personal plan. A team's key needs Config.team: its organization and project.",
    };
  return body['msg'] === '404 NOT_FOUND' ? { category: 'parameter', advice: 'This host lacks the operation.' } : undefined;
}

type DataOf<Operation> = ReplyOf<Operation> extends { data?: infer Data } ? NonNullable<Data> & object : never;
type Monitor<Method extends 'getActivity' | 'getLimit' | 'getModelUsage'> = ParametersOf<operations[`quota.${Method}`]>;

/** A route of the monitor whose reply to a key without a personal plan is not a failure. */
export function planRoute<Operation>(route: Route<Operation>): Route<Operation> {
  return Object.assign({}, route, { isTask: isWithoutPlan });
}

function isWithoutPlan({ success, msg }: Fields): boolean {
  return success === false && typeof msg === 'string' && /不存在\s*coding plan/i.test(msg);
}

/** The parameters that choose the plan of a team. Throws a ConfigError for a team that is not one. */
export function teamParameters({ config: { team } }: Settings): Monitor<'getLimit'> {
  return configured(() => {
    if (team !== undefined) checkFields(team, { organization: 1, project: 1 }, 'team', 'must have organization and project');
    const [organization, project] = team === undefined ? [] : [idOf(team, 'organization'), idOf(team, 'project')];
    return { type: team && 2, 'Bigmodel-Organization': organization, 'Bigmodel-Project': project };
  });
}

function idOf(team: object, name: string): string {
  const id = textOf(fieldsOf(team)[name]);
  if (id.trim() === '' || !/^[\x20-\x7e]+$/.test(id)) throw new Problem(`team.${name}`, 'must be the id that the service shows');
  return id;
}

/** Reported: with type 2, the service answers a team that only the main account of its company may read the totals. */
function creditParameters(settings: Settings, window: UsageWindow): Monitor<'getActivity'> {
  return { ...windowParameters(settings, window), type: settings.config.team ? 3 : 1 };
}

function windowParameters(settings: Settings, window: UsageWindow): Monitor<'getModelUsage'> {
  const startTime = momentParameter('start', window?.start);
  const endTime = momentParameter('end', window?.end);
  if (window.start.getTime() > window.end.getTime()) throw new Problem('start', 'must not be after end');
  return { startTime, endTime, ...teamParameters(settings) };
}

function momentParameter(name: string, moment: unknown): string {
  try {
    return formatServerTime(moment as Date);
  } catch {
    throw new Problem(name, 'must be a valid Date with a four-digit year');
  }
}
