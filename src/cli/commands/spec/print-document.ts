import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Handler } from '../../cli.ts';
import { rootDocument } from './root-document.ts';

export const run: Handler = async (cli, input) => {
  const text = await readFile(fileURLToPath(import.meta.resolve('modelsvc/openapi.yaml')), 'utf8');
  const root = input.text('root');
  const isYaml = cli.screen.isText || cli.screen.format === 'yaml';
  if (isYaml && root === undefined) return cli.screen.piece(text);
  const { parse, stringify } = await import('yaml');
  const whole = parse(text, { maxAliasCount: -1 });
  const document = root === undefined ? whole : rootDocument(whole, root, cli.values.region ?? 'global');
  if (isYaml) return cli.screen.piece(stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }));
  await cli.screen.result(document, () => text);
};
