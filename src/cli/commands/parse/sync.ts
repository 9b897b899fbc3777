import type { Handler } from '../../table/spec.ts';
import { targetOf } from '../../transfer/download.ts';
import { sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { deliverText, kindOf } from './document.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const path = input.arg(0);
  const kind = kindOf(input, path);
  const source = await sourceOf(cli, path, () => `stdin.${kind.toLowerCase()}`);
  const client = await cli.client();
  const result = await uploading(cli, source.filename, (onProgress) =>
    client.fileParser().sync(slowContext(cli), { ...source, tool_type: 'prime-sync', file_type: kind, onProgress }),
  );
  await deliverText(cli, result, target);
};
