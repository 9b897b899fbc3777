import type { Client, TranscriptionRequest } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { textOrFile } from '../../input/input.ts';
import { sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const source = await sourceOf(cli, input.arg(0), (bytes) =>
    Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'RIFF' ? 'audio.wav' : 'audio.mp3',
  );
  const prompt = input.text('prompt');
  const hotwords = input.list('hotword');
  const request: TranscriptionRequest = {
    ...source,
    model: input.text('model') ?? 'glm-asr-2512',
    ...(hotwords.length > 0 && { hotwords }),
    ...(prompt !== undefined && { prompt: await textOrFile('--prompt', prompt, () => cli.stdinText()) }),
  };
  const client = await cli.client();
  if (input.flag('stream')) return stream(cli, client, request);
  const reply = await uploading(cli, source.filename, (onProgress) => client.audio().transcribe(slowContext(cli), { ...request, onProgress }));
  await cli.output.result(reply, () => cli.output.clean(reply.text));
};

async function stream(cli: Cli, client: Client, request: TranscriptionRequest): Promise<void> {
  let hasText = false;
  for await (const event of client.audio().transcribeStream(slowContext(cli), request)) {
    if (!cli.output.isText) await cli.output.event(event);
    else {
      // The last event may repeat the complete text.
      const isLast = event.type === 'transcript.text.done';
      const piece: string = isLast && hasText ? '' : (event.delta ?? (isLast ? event.text : undefined) ?? '');
      if (piece !== '') await cli.output.piece(piece);
      hasText ||= piece !== '';
    }
  }
  if (cli.output.isText) await cli.output.endPieces();
}
