import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { deliverText, documentOf } from './document.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const { source, kind } = await documentOf(cli, input);
  const client = await cli.client();
  const result = await uploading(cli, source.filename, (onProgress) =>
    client.fileParser().sync(slowContext(cli), { ...source, tool_type: 'prime-sync', file_type: kind, onProgress }),
  );
  await deliverText(cli, result, target);
};
