import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { textOrFile } from '../../input/input.ts';
import { sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const [text, transcript] = [input.text('text'), input.text('transcript')];
  if (text === undefined) throw usageError('--text is missing', 'Pass a sentence for the trial clip.');
  const stdin = (): Promise<string> => cli.stdinText();
  const spoken = await textOrFile('--text', text, stdin);
  const sampleText = transcript === undefined ? undefined : await textOrFile('--transcript', transcript, stdin);
  const source = await sourceOf(cli, input.arg(1), () => 'sample.wav');
  const client = await cli.client();
  const file = await uploading(cli, source.filename, (onProgress) =>
    client.files().upload(slowContext(cli), { ...source, purpose: 'voice-clone-input', onProgress }),
  );
  const reply = await client.voice().clone(slowContext(cli), {
    model: input.text('model') ?? 'glm-tts-clone',
    voice_name: input.arg(0),
    input: spoken,
    file_id: file.id,
    text: sampleText,
  });
  await cli.output.result(reply, () => cli.output.clean(reply.voice));
};
