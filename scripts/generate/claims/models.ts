import { type FileRow, isDisputed, modelRows, type Origin, outputLimit, type PriceClaim, priced, type ServicePrice } from '../document/models.ts';
import type { Json, JsonObject, Source } from '../document/source.ts';
import type { Found } from './claim.ts';

/** The id of the claim of each column, with `ID` for the model. */
const columns: Readonly<Record<string, string>> = {
  status: 'model:ID.status',
  capabilities: 'model:ID.capabilities',
  context_tokens: 'limit:ID.context_tokens',
  max_output_tokens: 'limit:ID.max_output_tokens',
  default_output_tokens: 'default:ID.max_tokens',
  thinking: 'model:ID.thinking',
  effort: 'model:ID.effort',
  plan_model: 'model:ID.plan_model',
  batch: 'model:ID.batch',
  credits: 'price:ID.credits',
};

type Refusal = Origin & { readonly when: string; readonly status: number; readonly code: string };

/** The claims of the model file. */
export function modelClaims(source: Source): Found[] {
  const facts = source.value['facts'] as unknown as { readonly [column: string]: Origin };
  const effort = source.value['effort'] as unknown as Origin & { readonly disputed?: readonly string[] };
  const services = (source.value['services'] ?? []) as unknown as ServicePrice[];
  return [
    ...modelRows(source).flatMap((row) => [...rowClaims(row, facts), ...refusalClaims(source, row), ...priceClaims(row)]),
    { id: 'model:service.effort', path: ['effort'], ...pick(effort), disputed: effort.disputed ?? [] },
    ...services.map(({ name, price, currency, item, ...from }): Found => {
      return { id: `price:service.${name}`, path: ['services', name], ...pick(from), value: { price, currency, item } };
    }),
  ];
}

function rowClaims(row: FileRow & JsonObject, facts: { readonly [column: string]: Origin }): Found[] {
  const { id, disputed = [] } = row;
  const about = (text: string): string[] => (/^([a-z_ ]+):/.exec(text)?.[1] ?? '').split(' and ').filter((name) => name in columns);
  const cells = Object.entries(columns).flatMap(([column, form]): Found[] => {
    const origin = row.facts ?? facts[column];
    const of = disputed.filter((text) => about(text).includes(column));
    if (origin === undefined || row[column] === undefined) return [];
    return [{ id: form.replace('ID', id), path: ['models', id, column], ...pick(origin), value: row[column], disputed: of }];
  });
  const others = disputed.filter((text) => !about(text).some((column) => row[column] !== undefined));
  return [{ id: `model:${id}`, path: ['models', id], ...pick(row), value: row.kind, disputed: others }, ...cells];
}

function refusalClaims(source: Source, row: FileRow): Found[] {
  const refusals = source.value['refusals'] as unknown as { readonly [name: string]: Refusal };
  const limit = outputLimit(row);
  const rows: [name: string, column: string, more: JsonObject][] = [
    ...(row.refuses ?? []).map((name): [string, string, JsonObject] => [name, 'refuses', {}]),
    ...(row.effort_checked ?? []).map((root): [string, string, JsonObject] => [`effort@${root}`, 'effort_checked', { allowed: row.effort ?? [] }]),
    ...(limit === undefined ? [] : [['max_tokens', 'max_output_tokens', { allowed: limit }] as [string, string, JsonObject]]),
  ];
  return rows.map(([name, column, more]) => {
    const found = refusals[name];
    if (found === undefined) throw source.error(['refusals', name], `missing, and ${row.id} has it`);
    const { when, status, code } = found;
    return { id: `refusal:${row.id}.${name}`, path: ['models', row.id, column], ...pick(found), value: { when, status, code, ...more } };
  });
}

function priceClaims({ id, prices = [], prices_cny: chinese = [], item_price: item, ...row }: FileRow): Found[] {
  const isUnknown = isDisputed({ id, prices, ...row });
  const [first, ...others] = prices;
  const dollars = priced.flatMap((column): Found[] => {
    const value = first?.[column];
    if (first === undefined || value === undefined) return [];
    const differing = others.filter((one) => one[column] !== undefined && one[column] !== value);
    const disputed = differing.map((one) => `${one[column]} (${one.evidence}: ${one.source.join(', ')})`);
    return [{ id: `price:${id}.${column}`, path: ['models', id, 'prices'], ...pick(first), ...(isUnknown ? {} : { value }), disputed }];
  });
  return [
    ...dollars,
    ...chinese.flatMap((claim) => chineseClaims(id, claim)),
    ...(item ? [{ id: `price:${id}.item`, path: ['models', id, 'item_price'], ...pick(item), value: { usd: item.usd, item: item.item } }] : []),
  ];
}

function chineseClaims(id: string, claim: PriceClaim): Found[] {
  const when = claim.when === undefined ? '' : ` (${claim.when})`;
  return priced.flatMap((column) => {
    const value: Json | undefined = claim[column];
    return value === undefined ? [] : [{ id: `price:${id}.${column}@cny${when}`, path: ['models', id, 'prices_cny'], ...pick(claim), value }];
  });
}

function pick({ evidence, source }: Origin): Origin {
  return { evidence, source };
}
