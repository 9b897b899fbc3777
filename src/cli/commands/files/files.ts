import type { FileObject } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { firstOf } from '../../input/first-of.ts';
import { each } from '../../reports/each.ts';
import type { Column } from '../../terminal/output.ts';
import { sizeText } from '../../terminal/progress.ts';
import { idIn } from '../../terminal/reply.ts';
import { timeText } from '../../terminal/time-text.ts';
import { save, targetOf } from '../../transfer/download.ts';
import { type Source, sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const remove: Handler = async (cli, input) => {
  const ids = input.args;
  const client = await cli.make.client();
  await cli.screen.confirm(ids.length === 1 ? `Delete the file ${ids[0]}?` : `Delete ${ids.length} files?`);
  const { done, code } = await each(cli, ids, async (id) => {
    const reply = await client.files().delete(cli.ctx, id);
    if (cli.screen.isText) await cli.screen.result(reply, () => `deleted ${cli.screen.clean(id)}`);
    return reply;
  });
  if (!cli.screen.isText) await cli.screen.list(done, []);
  return code;
};

export const download: Handler = async (cli, input) => {
  const id = input.arg(0);
  const target = await targetOf(cli, input);
  if (!target) throw usageError('-O is missing', 'Pass a file name to -O, or - if stdout is redirected.');
  const client = await cli.make.client();
  const reply = await client.files().content(cli.ctx, id);
  const path = await save(cli, reply, id, target);
  if (target.kind !== 'stdout') await cli.screen.result({ path, content_type: reply.contentType }, () => cli.screen.clean(path));
};

export const list: Handler = async (cli, input) => {
  const client = await cli.make.client();
  const files = client.files().listAll(cli.ctx, { purpose: input.text('purpose') ?? 'batch' });
  await cli.screen.list(await firstOf(files, input.number('limit')), columns(cli.screen.format === 'table' || cli.screen.io.stdout.isTTY === true));
};

/** A size is rounded for people, and exact in a pipe. */
function columns(isRounded: boolean): readonly Column<FileObject>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'NAME', text: ({ filename, fileName }) => filename ?? fileName },
    { title: 'SIZE', text: ({ bytes }) => (typeof bytes !== 'number' || !isRounded ? bytes : sizeText(bytes)) },
    { title: 'CREATED', text: ({ created_at: time }) => timeText(time) },
  ];
}

export const upload: Handler = async (cli, input) => {
  const [purpose, name] = [input.text('purpose') ?? 'batch', input.text('name')];
  if (name !== undefined && input.args.length > 1) throw usageError('--name is for one file');
  // All files are checked before the first is sent.
  const sources = new Map<string, Source>();
  for (const path of input.args) sources.set(path, await sourceOf(cli.screen, path, purpose === 'batch' ? 'stdin.jsonl' : 'stdin'));
  const client = await cli.make.client();
  const { done, code } = await each(cli, [...sources.keys()], async (path) => {
    const source = sources.get(path) as Source;
    const filename = name ?? source.filename;
    const file = await uploading(cli.screen, filename, (onProgress) =>
      client.files().upload(slowContext(cli), { ...source, filename, purpose, onProgress }),
    );
    // Printed immediately, so that no id is lost when a later file fails.
    if (cli.screen.isText) await cli.screen.result(file, () => cli.screen.clean(sources.size > 1 ? `${idIn(file.id)}\t${filename}` : idIn(file.id)));
    return file;
  });
  if (!cli.screen.isText) await cli.screen.list(done, []);
  return code;
};
