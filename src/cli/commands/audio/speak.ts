import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { save, targetOf } from '../../transfer/download.ts';
import { promptText } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  if (!target) throw usageError('-O is missing: speech is binary', 'Pass a file name to -O, or - if stdout is redirected.');
  const format = input.text('format') ?? (/\.(pcm|raw)$/i.test(target.path) ? 'pcm' : 'wav');
  const text = await promptText(cli, 'TEXT', input.args);
  const client = await cli.client();
  const reply = await client.audio().speech(slowContext(cli), {
    model: input.text('model') ?? 'glm-tts',
    input: text.trimEnd(),
    voice: input.text('voice') ?? 'tongtong',
    response_format: format,
    speed: input.number('speed'),
    volume: input.number('volume'),
  });
  const path = await save(cli, { blocks: reply, name: `speech.${format}`, size: reply.size }, target);
  if (target.kind !== 'stdout') await cli.output.result({ path, content_type: reply.contentType }, () => cli.output.clean(path));
};
