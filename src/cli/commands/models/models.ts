import { type Client, type Context, isModelsvcError, type ModelInfo } from 'modelsvc';
import { isWithoutKey } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { Factory } from '../../factory.ts';
import { currentModels } from '../../table/model-ids.ts';
import { meantHint } from '../../table/near-miss.ts';
import type { Column } from '../../terminal/output.ts';

export const get: Handler = async (cli, input) => {
  const { stringify } = await import('yaml');
  const { client, isOffline } = await modelsClient(cli.make);
  const id = cli.modelId(input.arg(0));
  let isBuiltIn = isOffline;
  const model = await modelOf(client, cli.ctx, id).catch(async (error: unknown) => {
    if (!isModelsvcError(error, 'connection', 'timeout')) throw error;
    isBuiltIn = true;
    const { offlineClient } = await import('../../client.ts');
    const row = await modelOf(await offlineClient(cli.make), cli.ctx, id).catch((unknown: Error) => {
      // The service may list a model of a new name.
      throw meantHint(id, currentModels) === '' ? error : unknown;
    });
    cli.screen.note(`The service cannot be reached. These facts are built in, as of ${row.as_of ?? 'an unknown day'}.`);
    return row;
  });
  const old = isOld(model.as_of, new Date())
    ? `# These facts are older than ${maxAgeDays} days. Correct them in models.yaml: see modelsvc models list --help\n`
    : '';
  const { listed: _unknown, ...facts } = model;
  const shown = isBuiltIn ? facts : model;
  await cli.screen.result(shown, () => cli.screen.clean(`${stringify(shown)}${old}`));
};

async function modelOf(client: Client, ctx: Context, id: string): Promise<ModelInfo> {
  try {
    return await client.models().get(ctx, id);
  } catch (error) {
    if (!isModelsvcError(error, 'validation') || id.trim() === '') throw error;
    const text = `no model ${JSON.stringify(id)}: ${error.problem}${meantHint(id, currentModels)}`;
    throw new CliError(text, exitCodes.notFound, 'Run `modelsvc models list`.');
  }
}

/** Facts about a model need no key: without one, they come from the catalogue and models.yaml alone. */
async function modelsClient(make: Factory): Promise<{ readonly client: Client; readonly isOffline: boolean }> {
  try {
    return { client: await make.client(), isOffline: false };
  } catch (error) {
    if (!isWithoutKey(error)) throw error;
    const { offlineClient } = await import('../../client.ts');
    return { client: await offlineClient(make), isOffline: true };
  }
}

export const list: Handler = async (cli, input) => {
  const client = await cli.make.client();
  const capability = input.text('capability');
  const models = capability === undefined ? (await client.models().list(cli.ctx)).data : await withCapability(client, cli.ctx, capability);
  const own = new Set((await cli.make.models()).rows.map(({ id }) => id));
  await cli.screen.list(models, own.size === 0 ? columns : [...columns, { title: 'FACTS', text: ({ id }) => (own.has(id) ? 'models.yaml' : '') }]);
};

async function withCapability(client: Client, ctx: Context, capability: string): Promise<ModelInfo[]> {
  const found = capability === 'vision' ? await client.models().getVisionModels(ctx) : await client.models().getTextModels(ctx);
  return found.filter((model) => model.capabilities?.includes(capability));
}

const columns: readonly Column<ModelInfo>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'CONTEXT', text: ({ max_context: tokens }) => tokens },
  { title: 'OUTPUT', text: ({ max_output_tokens: tokens }) => tokens },
  { title: 'INPUTS', text: ({ capabilities = [] }) => inputs.flatMap(([name, input]) => (capabilities.includes(name) ? [input] : [])).join(', ') },
  { title: 'PRICE', text: ({ pricing }) => priceText(pricing) },
  {
    title: 'CAPABILITIES',
    isExtra: true,
    text: ({ capabilities }) => capabilities?.filter((one) => !inputs.some(([name]) => name === one)).join(', '),
  },
];

/** Capabilities that are kinds of input. */
const inputs: readonly (readonly [capability: string, input: string])[] = [
  ['text', 'text'],
  ['vision', 'image'],
  ['video', 'video'],
  ['file', 'file'],
];

/** Dollars for a million tokens of input and of output: `$1.4 / $4.4`. */
function priceText(pricing: ModelInfo['pricing']): string {
  const { prompt, completion } = pricing ?? {};
  return prompt === undefined && completion === undefined
    ? ''
    : [prompt, completion].map((price) => (price === undefined ? '?' : `$${price}`)).join(' / ');
}

const maxAgeDays = 90;

/** True if the newest source of a row is too old to rely on. A month counts from its last day. */
export function isOld(asOf: unknown, now: Date): boolean {
  const [, year, month, day] = (typeof asOf === 'string' && /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(asOf)) || [];
  if (year === undefined) return false;
  const seen = day === undefined ? Date.UTC(Number(year), Number(month), 0) : Date.UTC(Number(year), Number(month) - 1, Number(day));
  return now.getTime() - seen >= (maxAgeDays + 1) * 24 * 60 * 60 * 1000;
}
