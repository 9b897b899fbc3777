import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../generate/document/source.ts';
import { Refused } from '../facts.ts';

/** A model as a table has it. An absent fact is not stated. */
export interface ModelFacts {
  readonly id: string;
  /** US dollars per million tokens, by the columns of our catalogue. */
  readonly prices: { readonly [column: string]: number };
  readonly context_tokens?: number;
  readonly max_output_tokens?: number;
  readonly thinks?: boolean;
  readonly thinking?: 'always' | 'switchable';
  readonly effort?: readonly string[];
  /** Words of our column `capabilities`, and whether the table states them. */
  readonly capabilities: { readonly [word: string]: boolean };
}

/** A table that was recognized by its content. */
export type Table =
  | { readonly form: 'models'; readonly name: string; readonly rows: readonly ModelFacts[]; readonly weight?: 'client' }
  | { readonly form: 'openapi'; readonly name: string; readonly document: JsonObject };

/** The tables of a file: one, none for a file of models.dev that is not about a GLM model, or several documents of a page. */
export function readTables(file: string, text: string): Table[] {
  const pages = [...text.matchAll(/^(`{3,})ya?ml[^\n]*\n(openapi:[\s\S]*?)\n\1\s*$/gm)].map(([, , block = '']) => parsed(file, block));
  const values = pages.length > 0 ? pages : [parsed(file, text)];
  return values.flatMap((value) => {
    const tables = isObject(value) ? recognized(file, value) : undefined;
    if (tables === undefined)
      throw new Refused(
        `${file}: unknown form; known are OpenAPI (JSON, YAML, or a page with YAML), models.dev (TOML or api.json), LiteLLM, pi-ai and the vendor's client`,
      );
    return tables;
  });
}

const languages: readonly ((text: string) => unknown)[] = [(text) => parseToml(text), (text) => parseYaml(text)];

/** The value of a text in JSON, TOML or YAML. */
function parsed(file: string, text: string): unknown {
  if (text.trimStart().startsWith('{'))
    try {
      return JSON.parse(text);
    } catch {
      throw new Refused(`${file}: not JSON, or cut off`);
    }
  for (const parse of languages)
    try {
      const value: unknown = parse(text);
      if (isObject(value)) return value;
    } catch {
      // The next language.
    }
  return undefined;
}

function recognized(file: string, value: JsonObject): Table[] | undefined {
  const children = Object.values(value).filter(isObject);
  if (typeof value['openapi'] === 'string' && isObject(value['paths']))
    return [{ form: 'openapi', name: `openapi/${hostOf(value)}`, document: value }];
  const { providerConfigRules: providers, modelConfigRules: rules } = isObject(value['config']) ? value['config'] : {};
  if (isObject(providers) && isObject(rules))
    return [filled(file, { form: 'models', name: 'vendor-client', weight: 'client', rows: vendorClient(providers, rules) })];
  if (children.some((one) => 'litellm_provider' in one)) return [filled(file, { form: 'models', name: 'litellm', rows: litellm(value) })];
  if (children.some((one) => Object.values(one).some((row) => isObject(row) && 'contextWindow' in row))) return filledAll(file, piAi(children));
  if (children.some((one) => isObject(one['models']) && 'env' in one)) return filledAll(file, modelsDev(value));
  if (['cost', 'limit', 'base_model', 'env'].some((key) => key in value) && ('name' in value || 'base_model' in value))
    return modelsDevFile(file, value);
  return undefined;
}

function filled(file: string, table: Table & { form: 'models' }): Table {
  if (table.rows.length === 0) throw new Refused(`${file}: ${table.name} without a GLM model of this service`);
  return table;
}

function filledAll(file: string, tables: (Table & { form: 'models' })[]): Table[] {
  if (tables.length === 0) throw new Refused(`${file}: no GLM model of this service`);
  return tables.map((table) => filled(file, table));
}

function hostOf(document: JsonObject): string {
  const server = (document['servers'] as JsonObject[] | undefined)?.[0];
  return URL.canParse(String(server?.['url'])) ? new URL(String(server?.['url'])).host : 'unknown host';
}

const glmProviders = ['zai', 'zhipuai', 'zai-coding-plan', 'zhipuai-coding-plan'];
const inputWords: Readonly<Record<string, string>> = { image: 'vision', video: 'video', pdf: 'file' };

/** The prices that a row states. Tables of plans have zeros, which are not prices. */
function pricesOf(row: Json | undefined, names: readonly [string, string, string], factor: number, isPlan: boolean): { [column: string]: number } {
  const given = isObject(row) ? row : {};
  const found = ['input', 'output', 'cached_input'].flatMap((column, index): [string, number][] => {
    const price = given[names[index] ?? ''];
    return typeof price === 'number' ? [[column, Number((price * factor).toPrecision(10))]] : [];
  });
  return isPlan && found.every(([, price]) => price === 0) ? {} : Object.fromEntries(found);
}

function sizesOf(context: Json | undefined, output: Json | undefined): Pick<ModelFacts, 'context_tokens' | 'max_output_tokens'> {
  return { ...(typeof context === 'number' && { context_tokens: context }), ...(typeof output === 'number' && { max_output_tokens: output }) };
}

function litellm(value: JsonObject): ModelFacts[] {
  return Object.entries(value).flatMap(([key, row]) => {
    if (!isObject(row) || row['litellm_provider'] !== 'zai' || (row['mode'] ?? 'chat') !== 'chat') return [];
    const { supports_function_calling: tools, supports_vision: vision, supports_reasoning: thinks } = row;
    return {
      id: key.replace(/^zai\//, ''),
      prices: pricesOf(row, ['input_cost_per_token', 'output_cost_per_token', 'cache_read_input_token_cost'], 1e6, false),
      ...sizesOf(row['max_input_tokens'], row['max_output_tokens']),
      ...(typeof thinks === 'boolean' && { thinks }),
      capabilities: { ...(typeof tools === 'boolean' && { tools }), ...(typeof vision === 'boolean' && { vision }) },
    };
  });
}

function piAi(apis: readonly JsonObject[]): (Table & { form: 'models' })[] {
  const rows = apis.flatMap((api) => Object.values(api)).filter((row): row is JsonObject => isObject(row) && isVendor(row['baseUrl']));
  return [...new Set(rows.map((row) => String(row['provider'])))].map((provider) => ({
    form: 'models',
    name: `pi-ai/${provider}`,
    rows: rows.filter((row) => row['provider'] === provider).map(piModel),
  }));
}

function piModel(row: JsonObject): ModelFacts {
  const { id, reasoning: thinks, input, baseUrl, thinkingLevelMap: levels } = row;
  const efforts = isObject(levels)
    ? Object.entries(levels).flatMap(([level, word]) => (level !== 'off' && typeof word === 'string' ? [word] : []))
    : undefined;
  return {
    id: String(id),
    prices: pricesOf(row['cost'], ['input', 'output', 'cacheRead'], 1, String(baseUrl).includes('/coding/')),
    ...sizesOf(row['contextWindow'], row['maxTokens']),
    ...(typeof thinks === 'boolean' && { thinks }),
    ...(efforts && { effort: efforts }),
    capabilities: Array.isArray(input) ? { vision: input.includes('image') } : {},
  };
}

/** The models that the vendor's client offers on the vendor's hosts. */
function vendorClient(providers: JsonObject, { modelRules }: JsonObject): ModelFacts[] {
  const listed = [providers['templateRules'], providers['providerRules']].flatMap(objects).flatMap(({ config }) => {
    const { api, builtinModelIds: ids } = isObject(config) ? config : {};
    return isObject(api) && isVendor(api['baseUrl']) && Array.isArray(ids) ? ids.map(String) : [];
  });
  // The first rule fits every model of every vendor, so it has no fact about one.
  const rules = objects(modelRules).filter(({ modelMatch }) => modelMatch !== '.*');
  return [...new Set(listed)].map((id) => {
    const own = rules.filter(({ modelMatch }) => new RegExp(`^(?:${String(modelMatch)})$`, 'i').test(id)).map(({ config }) => config);
    const last = (...path: string[]): Json | undefined =>
      own.map((config) => path.reduce<Json | undefined>(inside, config)).findLast((one) => one !== undefined);
    const levels = last('optionSpecs', 'reasoningLevel', 'values');
    const words = Array.isArray(levels) ? levels.map(String) : undefined;
    const effort = words?.filter((word) => word !== 'disabled' && word !== 'enabled') ?? [];
    return {
      id: id.toLowerCase(),
      prices: {},
      // Its largest answer is a setting of the client.
      ...sizesOf(last('properties', 'contextWindow'), undefined),
      ...(words && { thinking: words.includes('disabled') ? 'switchable' : 'always' }),
      ...(effort.length > 0 && { effort }),
      // The client may leave out what the service takes: only what it offers is a fact.
      capabilities: Object.fromEntries(
        Object.entries({ Image: 'vision', Video: 'video', Pdf: 'file' }).flatMap(([word, ours]) =>
          last('properties', 'inputFormat', `supports${word}`) === true ? [[ours, true]] : [],
        ),
      ),
    };
  });
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function inside(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? value[key] : undefined;
}

function isVendor(url: Json | undefined): boolean {
  return /^https:\/\/(api\.z\.ai|open\.bigmodel\.cn)\//.test(String(url));
}

function modelsDev(value: JsonObject): (Table & { form: 'models' })[] {
  return glmProviders.flatMap((provider) => {
    const models = isObject(value[provider]) ? value[provider]['models'] : undefined;
    const rows = Object.entries(isObject(models) ? models : {}).map(([id, row]) => modelsDevRow(id, row as JsonObject, provider));
    return rows.length > 0 ? [{ form: 'models', name: `models.dev/${provider}`, rows }] : [];
  });
}

/** A file of the repository: a model of a provider, a model of a laboratory, or a provider. */
function modelsDevFile(file: string, value: JsonObject): Table[] {
  const [, provider, lab, id] = /(?:providers\/([^/]+)\/models\/|models\/([^/]+)\/|^|\/)([^/]+)\.toml$/.exec(file.replaceAll('\\', '/')) ?? [];
  const owner = provider ?? lab;
  if (id === undefined || 'env' in value || (owner !== undefined && !glmProviders.includes(owner))) return [];
  const name = provider === undefined ? 'models.dev' : `models.dev/${provider}`;
  return [{ form: 'models', name, rows: [modelsDevRow(id, value, provider ?? '')] }];
}

function modelsDevRow(id: string, row: JsonObject, provider: string): ModelFacts {
  const { limit, modalities, reasoning: thinks, tool_call: tools } = row;
  const sizes = isObject(limit) ? limit : {};
  const input = isObject(modalities) && Array.isArray(modalities['input']) ? modalities['input'] : undefined;
  const options = Array.isArray(row['reasoning_options']) ? row['reasoning_options'] : [];
  const efforts = options.filter(isObject).find((one) => one['type'] === 'effort');
  return {
    id,
    prices: pricesOf(row['cost'], ['input', 'output', 'cache_read'], 1, provider.endsWith('-plan')),
    ...sizesOf(sizes['context'], sizes['output']),
    ...(typeof thinks === 'boolean' && { thinks }),
    ...(Array.isArray(efforts?.['values']) && { effort: efforts['values'].map(String) }),
    capabilities: {
      ...(typeof tools === 'boolean' && { tools }),
      ...Object.fromEntries(input === undefined ? [] : Object.entries(inputWords).map(([theirs, ours]) => [ours, input.includes(theirs)])),
    },
  };
}
