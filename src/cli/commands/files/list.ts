import type { FileObject } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { firstOf } from '../../input/first-of.ts';
import type { Column } from '../../terminal/output.ts';
import { sizeText } from '../../terminal/progress.ts';
import { timeText } from '../../terminal/time-text.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  const files = client.files().listAll(cli.ctx, { purpose: input.text('purpose') ?? 'batch' });
  await cli.output.list(await firstOf(files, input.number('limit')), columns(cli.output.format === 'table' || cli.io.stdout.isTTY === true));
};

/** A size is rounded for people, and exact in a pipe. */
function columns(isRounded: boolean): readonly Column<FileObject>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'NAME', text: ({ filename, fileName }) => filename ?? fileName },
    { title: 'SIZE', text: ({ bytes }) => (bytes === undefined || !isRounded ? bytes : sizeText(bytes)) },
    { title: 'CREATED', text: ({ created_at: time }) => timeText(time) },
  ];
}
