import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { each } from '../../reports/each.ts';
import { type Source, sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const [purpose, name] = [input.text('purpose') ?? 'batch', input.text('name')];
  if (name !== undefined && input.args.length > 1) throw usageError('--name is for one file');
  // All are checked before the first is sent.
  const sources = new Map<string, Source>();
  for (const path of input.args) sources.set(path, await sourceOf(cli, path, () => (purpose === 'batch' ? 'stdin.jsonl' : 'stdin')));
  const client = await cli.client();
  const { done, code } = await each(cli, [...sources.keys()], async (path) => {
    const source = sources.get(path) as Source;
    const filename = name ?? source.filename;
    const file = await uploading(cli, filename, (onProgress) =>
      client.files().upload(slowContext(cli), { ...source, filename, purpose, onProgress }),
    );
    // Printed at once, so that no id is lost when a later file fails.
    if (cli.output.isText) await cli.output.result(file, () => cli.output.clean(sources.size > 1 ? `${file.id}\t${filename}` : file.id));
    return file;
  });
  if (!cli.output.isText) await cli.output.list(done, []);
  return code;
};
