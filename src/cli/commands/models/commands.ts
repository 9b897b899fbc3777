import type { Client, Context, ModelInfo } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';

export const get: Handler = async (cli, input) => {
  const { stringify } = await import('yaml');
  const client = await cli.client();
  const model = await client.models().get(cli.ctx, input.arg(0));
  await cli.output.result(model, () => cli.output.clean(stringify(model)));
};

export const list: Handler = async (cli, input) => {
  const client = await cli.client();
  const capability = input.text('capability');
  const models = capability === undefined ? (await client.models().list(cli.ctx)).data : await withCapability(client, cli.ctx, capability);
  await cli.output.list(models, columns);
};

async function withCapability(client: Client, ctx: Context, capability: string): Promise<ModelInfo[]> {
  const found = capability === 'vision' ? await client.models().getVisionModels(ctx) : await client.models().getTextModels(ctx);
  return found.filter((model) => model.capabilities?.includes(capability));
}

const columns: readonly Column<ModelInfo>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'CONTEXT', text: ({ max_context: tokens }) => tokens },
  { title: 'OUTPUT', text: ({ max_output_tokens: tokens }) => tokens },
  { title: 'CAPABILITIES', text: ({ capabilities }) => capabilities?.join(', ') },
];
