import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Handler } from '../../cli.ts';

export const run: Handler = async (cli) => {
  const text = await readFile(fileURLToPath(import.meta.resolve('modelsvc/openapi.yaml')), 'utf8');
  if (cli.output.isText || cli.output.format === 'yaml') return cli.output.piece(text);
  await cli.output.result((await import('yaml')).parse(text, { maxAliasCount: -1 }), () => text);
};
