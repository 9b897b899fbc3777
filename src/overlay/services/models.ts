import type { CatalogueRow } from '../../generated/models.ts';
import { modelsList } from '../../generated/routes.ts';
import type { Model } from '../../generated/types.ts';
import { throwIfAborted } from '../call/cancellation.ts';
import { requestJson } from '../call/operations/request-json.ts';
import { type Received, type ResponseInfo, rememberInfo, responseInfo } from '../call/reply/response-info.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, type Context, contextFirst, signalsOf, toContext } from '../context.ts';
import { validationError } from '../errors/problem.ts';
import { Problem } from '../json/problem.ts';
import { catalogue, catalogueRow, listedInfo, type ModelInfo, unlistedInfo } from '../monitor/model-info.ts';
import { secretsOf } from '../secrets/clean.ts';
import { SingleFlight } from './single-flight.ts';

/** The models that the service lists. */
export interface ModelInfoList {
  object: string;
  data: ModelInfo[];
}

interface Fetched {
  readonly object: string;
  readonly models: readonly Model[];
  readonly info: ResponseInfo;
  /** `Date.now()` at arrival. */
  readonly at: number;
}

const maxAgeMs = 60 * 60 * 1000;

/**
 * The model catalogue: the service's list, completed from the built-in catalogue and from `Config.models`.
 *
 * The first call fetches the list, and the client caches it for an hour. Concurrent calls share one request, which has the context of the
 * first call. Listing is free and works without a balance. Results are new objects that you may change.
 */
export class Models {
  readonly #settings: Settings;
  readonly #flight = new SingleFlight<Fetched>();
  #fetched: Fetched | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * The models that the service lists for this key: the main text models, in the service's order. Models of `Config.models` that it does not
   * list follow, with `listed` false.
   *
   * @example
   * ```ts
   * const { data } = await c.models().list();
   * for (const { id, kind } of data) console.log(id, kind);
   * ```
   */
  async list(ctx?: CallContext): Promise<Received<ModelInfoList>> {
    return this.#listOf(await this.#listed('models.list', ctx));
  }

  /**
   * One model by its exact id. A model that works without being listed comes from the catalogue, with
   * `listed` false. Throws a ValidationError with path `id` if the id is in neither; the service may still accept the id.
   */
  get(id: string): Promise<Received<ModelInfo>>;
  get(ctx: CallContext, id: string): Promise<Received<ModelInfo>>;
  async get(...given: Called<[id: string]>): Promise<Received<ModelInfo>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    const operation = 'models.get';
    if (typeof id !== 'string' || id.trim() === '') throw validationError(operation, new Problem('id', 'must be a model id'));
    const fetched = await this.#listed(operation, ctx);
    const listed = fetched.models.find((model) => model.id === id);
    if (listed) return told(fetched, listedInfo(listed, this.#settings.models));
    const row = catalogueRow(id, this.#settings.models);
    if (row) return told(fetched, unlistedInfo(row));
    throw validationError(operation, new Problem('id', 'is neither listed by the service nor in the built-in catalogue'));
  }

  /**
   * True if the vendor's list of models for batches lacks a chat model of the built-in catalogue. Makes no request. The list may be older than the
   * service. A model that the catalogue lacks is not excluded.
   */
  isOutsideBatches(id: string): boolean {
    const row = catalogueRow(id) as CatalogueRow | undefined;
    return row?.kind === 'chat' && !row.batch;
  }

  /**
   * Models with the capability `text`, including vision models: listed ones first, then models of `Config.models`, then models of the catalogue
   * that work without being listed.
   */
  getTextModels(ctx?: CallContext): Promise<Received<ModelInfo[]>> {
    return this.#filter('models.getTextModels', ctx, (model) => can(model, 'text'));
  }

  /** Models with the capability `vision`. The service lists none of them, so they mostly come from the catalogue. */
  getVisionModels(ctx?: CallContext): Promise<Received<ModelInfo[]>> {
    return this.#filter('models.getVisionModels', ctx, (model) => can(model, 'vision'));
  }

  /**
   * Models whose prices of input and output are known to be zero. Models without a known price are not included, nor those that only some
   * sources list at zero. The recorded list of the service has no prices, so these come from the catalogue.
   */
  getFreeModels(ctx?: CallContext): Promise<Received<ModelInfo[]>> {
    return this.#filter('models.getFreeModels', ctx, ({ pricing }) => pricing?.prompt === 0 && pricing.completion === 0);
  }

  /** Fetch the list again and return it. If that fails, the old list is kept. */
  async refreshCache(ctx?: CallContext): Promise<Received<ModelInfoList>> {
    return this.#listOf(await this.#fetch('models.refreshCache', ctx));
  }

  async #filter(operation: string, ctx: CallContext, accepts: (model: ModelInfo) => boolean): Promise<Received<ModelInfo[]>> {
    const fetched = await this.#listed(operation, ctx);
    const known = this.#infos(fetched, [...this.#settings.models.keys(), ...catalogue.map(({ id }) => id)]);
    return told(fetched, known.filter(accepts));
  }

  #listOf(fetched: Fetched): Received<ModelInfoList> {
    return told(fetched, { object: fetched.object, data: this.#infos(fetched, [...this.#settings.models.keys()]) });
  }

  /** The listed models, then the others of `ids`. */
  #infos({ models }: Fetched, ids: readonly string[]): ModelInfo[] {
    const own = this.#settings.models;
    const listed = new Set(models.map(({ id }) => id));
    const others = [...new Set(ids)].flatMap((id) => (listed.has(id) ? [] : (catalogueRow(id, own) ?? [])));
    return [...models.map((model) => listedInfo(model, own)), ...others.map(unlistedInfo)];
  }

  async #listed(operation: string, ctx: CallContext): Promise<Fetched> {
    const fetched = this.#fetched;
    if (fetched === undefined || Date.now() - fetched.at > maxAgeMs) return this.#fetch(operation, ctx);
    throwIfAborted(signalsOf(this.#checked(operation, ctx)), operation);
    return fetched;
  }

  /** The name of an unknown field may be a key. */
  #checked(operation: string, ctx: CallContext): Context {
    try {
      return toContext(ctx);
    } catch (error) {
      throw error instanceof Problem ? validationError(operation, error, secretsOf(this.#settings)) : error;
    }
  }

  #fetch(operation: string, ctx: CallContext): Promise<Fetched> {
    const context = this.#checked(operation, ctx);
    return this.#flight.join(operation, context, async (signal) => {
      // The caller's own signal would cancel the request for all waiting callers.
      const reply = await requestJson(this.#settings, modelsList, { ...context, signal }, () => ({}));
      const models = reply.data.filter((model) => typeof model?.id === 'string');
      this.#fetched = { object: reply.object, models, info: responseInfo(reply), at: Date.now() };
      return this.#fetched;
    });
  }
}

function can(model: ModelInfo, capability: string): boolean {
  const { capabilities } = model;
  return Array.isArray(capabilities) && capabilities.includes(capability);
}

/** Attach the info of the list's exchange to a result. */
function told<T extends object>(fetched: Fetched, result: T): Received<T> {
  return rememberInfo(result, fetched.info);
}
