// The models that a call asks after its own.
import { type Failure, RefusedAttempt, withPrevious } from '../call/attempt/failure.ts';
import { isOverload, Retries, type RetryDecision } from '../call/attempt/retry.ts';
import { buildCall } from '../call/request/build-call.ts';
import type { Call, OnCallStart, RetryPolicy, Sender } from '../call/request/call.ts';
import type { CallForModels } from '../call/request/model-call.ts';
import { type Read, send } from '../call/send.ts';
import { type CallContext, fieldsOfContext } from '../context.ts';
import { sight } from '../errors/advice.ts';
import type { ApiFailure, ModelsvcError } from '../errors/errors.ts';
import { isApiError, isModelsvcError, isValidationError } from '../errors/guards.ts';
import { validationError } from '../errors/problem.ts';
import type { FallbackInfo } from '../hooks/hook.ts';
import { bounded } from '../json/cut.ts';
import { type Fields, fieldsOf, jsonOrUndefined } from '../json/json-value.ts';
import { nearestName } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { catalogue, catalogueRow, type OwnRows } from '../monitor/model-info.ts';
import { cleanToken } from '../secrets/clean.ts';

type Passed = FallbackInfo['passed'][number];

/** The models before the next call. */
interface SoFar extends Pick<FallbackInfo, 'from'> {
  readonly passed: Passed[];
  readonly rest: NextModel[];
  readonly previous: ModelsvcError;
}

type NamedCall = readonly [call: Call, model: string];

/** A model of the list, and why it cannot take the request. */
interface NextModel {
  readonly model: string;
  readonly why: string | undefined;
}

const most = 4;
/** Codes for a model that is unknown or not in the plan. Of the codes for used-up windows, 1304 alone names neither plan nor account. */
const ofTheModel = /^(1211|1304|1311|model_not_found|usage_not_included)$/;
/** Fields that limit the tokens of an answer. */
const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/** Sends a call, and while the models refuse it for a reason of their own, one for each model of `fallback`. */
export function toModels(asked: CallForModels): Sender {
  return (first, read, onStart) => sendToModels(asked, first, read, onStart);
}

async function sendToModels<T>(asked: CallForModels, first: Call, read: (reply: never) => Promise<T>, onStart?: OnCallStart): Promise<T> {
  const { settings } = asked;
  const request = fieldsOf(jsonOrUndefined(first.body as string));
  const rest = nextModels(asked, first, request);
  const from = cleanToken(String(request['model']), first.secrets);
  const passed: Passed[] = [];
  const retries = new ModelRetries(first.retry, (refusal) => {
    if (refusal && rest.some(({ why }) => why === undefined)) return undefined;
    const others = refusal ? [...passed, ...rest.map(({ model, why = '' }) => ({ model, why }))] : passed;
    return others.length === 0 ? '' : `Other models: ${others.map(({ model, why }) => `${model} (${why})`).join(', ')}.`;
  });
  let previous: ModelsvcError | undefined;
  for (let [call, model]: NamedCall = [first, from]; ; ) {
    try {
      const starts: OnCallStart = (cancellation) => onStart?.(cancellation, call);
      return await send(call, settings, read as Read<T>, starts, retries);
    } catch (error) {
      link(error, previous);
      // A call that waited at a gate can end with the refusal of another one, and without an attempt.
      const goesOn = retries.take() ?? (isApiError(error) && isOfModel(error));
      if (!goesOn || !isApiError(error)) throw error;
      passed.push({ model, why: refusalText(error), attempts: error.attempts });
      previous = error;
      const next = nextCall(asked, { from, passed, rest, previous });
      if (!next) throw error;
      [call, model] = next;
    }
  }
}

/** The call for the next model that can take the request, and the model. */
function nextCall(asked: CallForModels, { from, passed, rest, previous }: SoFar): NamedCall | undefined {
  const { settings, route, operation, context, withModel } = asked;
  // The name of a model for hooks would be that of another one.
  const ctx = { ...fieldsOfContext(context), fallback: undefined, model: undefined };
  for (let one = rest.shift(); one; one = rest.shift()) {
    const { model, why } = one;
    if (why === undefined) {
      const fallback = Object.freeze({ model, from, passed: Object.freeze(passed.map((each) => Object.freeze({ ...each }))) });
      try {
        return [buildCall(route, ctx, settings, () => ({ ...withModel(model), fallback }), operation), model];
      } catch (error) {
        if (!isValidationError(error)) {
          link(error, previous);
          throw error;
        }
        passed.push({ model, why: `skipped: ${error.summary}`, attempts: 0 });
      }
    } else passed.push({ model, why, attempts: 0 });
  }
  return undefined;
}

/** Keeps the failure of the model before on the first error of this one. */
function link(error: unknown, previous: ModelsvcError | undefined): void {
  let oldest = error;
  while (isModelsvcError(oldest) && oldest.previous) oldest = oldest.previous;
  withPrevious(oldest, previous);
}

function refusalText({ code, status }: Pick<ApiFailure, 'code' | 'status'>): string {
  return code === undefined ? `refused with status ${status}` : `refused with code ${code}`;
}

/** True for a refusal that another model need not give. */
function isOfModel(refusal: ApiFailure): boolean {
  return isOverload(refusal) || ofTheModel.test(refusal.code ?? '');
}

/** One patience for all models: what one has used up, the next does not get. Each gets one attempt at least. */
class ModelRetries extends Retries {
  readonly #wordsOf: (goesOn: boolean) => string | undefined;
  #earlier = 0;
  #isRefused = true;
  #goesOn: boolean | undefined;

  /** `wordsOf` returns the words for the error that ends the call; undefined if another model follows. */
  constructor(policy: RetryPolicy, wordsOf: (goesOn: boolean) => string | undefined) {
    super(policy);
    this.#wordsOf = wordsOf;
  }

  override decide(failure: Failure, attempt: number, isSpent?: boolean, mayRetry?: () => boolean): RetryDecision {
    const decision = super.decide(failure, this.#earlier + attempt, isSpent, mayRetry);
    const refusal = failure instanceof RefusedAttempt && !failure.isAnswered ? failure.facts : undefined;
    this.#isRefused &&= refusal !== undefined;
    if (decision.delayMs !== undefined) return decision;
    this.#earlier += attempt;
    this.#goesOn = this.#isRefused && refusal !== undefined && isOfModel(refusal);
    return { ...decision, advice: this.#wordsOf(this.#goesOn) };
  }

  /** Whether the call that ended may go on with another model; undefined if no attempt of it ended the call. */
  take(): boolean | undefined {
    const goesOn = this.#isRefused ? this.#goesOn : false;
    this.#goesOn = undefined;
    return goesOn;
  }
}

/** The models of `fallback`. Throws a ValidationError for a list that cannot be meant, before the first request. */
function nextModels({ context, settings: { models } }: CallForModels, { operation, hooks, secrets, body }: Call, request: Fields): NextModel[] {
  try {
    const hasSight = sight.test(body as string);
    return checkedModels(context, request, models).map((model) => ({ model, why: reasonAgainst(model, request, hasSight, models) }));
  } catch (cause) {
    const error = cause instanceof Problem ? validationError(operation, cause, secrets) : cause;
    hooks?.failed(error);
    throw error;
  }
}

function checkedModels(context: CallContext, request: Fields, own: OwnRows): readonly string[] {
  const { fallback } = fieldsOfContext(context);
  if (!Array.isArray(fallback) || fallback.length > most) throw new Problem('ctx.fallback', `must be a list of at most ${most} model ids`);
  for (const [name, isSet] of Object.entries({ background: request['background'] === true, previous_response_id: !!request['previous_response_id'] }))
    if (isSet) throw new Problem('ctx.fallback', `and ${name} exclude each other`);
  for (const [index, model] of (fallback as unknown[]).entries()) {
    const place = `ctx.fallback[${index}]`;
    if (typeof model !== 'string' || model === '') throw new Problem(place, 'must be a model id');
    if (model === request['model']) throw new Problem(place, 'is the model of the request');
    if (fallback.indexOf(model) < index) throw new Problem(place, 'is in the list twice');
    const row = catalogueRow(model, own);
    if (row && row.kind !== 'chat') throw new Problem(place, `must be a chat model; ${model} is for ${row.kind}`);
    if (row) continue;
    const ids = [...catalogue.filter(({ kind }) => kind === 'chat').map(({ id }) => id), ...own.keys()];
    const near = nearestName(model, ids);
    throw new Problem(place, `${bounded(model, 64)} is in no catalogue; ${near === undefined ? 'add it to Config.models' : `did you mean ${near}?`}`);
  }
  return fallback as string[];
}

/** Why a model cannot take the request, by its row in the catalogue. */
function reasonAgainst(model: string, request: Fields, hasSight: boolean, own: OwnRows): string | undefined {
  const { capabilities, max_output_tokens: longest } = catalogueRow(model, own) ?? {};
  if (capabilities && !capabilities.includes('vision') && hasSight) return 'skipped: it takes no images and videos';
  const over = limits.find((name) => longest !== undefined && Number(request[name]) > longest);
  return over && `skipped: ${over} is above its ${longest}`;
}
