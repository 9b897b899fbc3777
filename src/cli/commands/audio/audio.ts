import type { Client } from 'modelsvc';
import type { TranscriptionRequest } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { cellText } from '../../terminal/reply.ts';
import { savePaid, targetOf } from '../../transfer/download.ts';
import { mediaOf, promptText, sounds, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const speak: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  if (!target) throw usageError('-O is missing: speech is binary', 'Pass a file name to -O, or - if stdout is redirected.');
  // The service speaks in no other form.
  if (/\.(mp3|m4a|mp4|aac|ogg|opus|flac|webm)$/i.test(target.path))
    throw usageError(`-O: ${target.path} would have WAV or PCM`, 'End the name in .wav or .pcm.');
  const format = input.text('format') ?? (/\.(pcm|raw)$/i.test(target.path) ? 'pcm' : 'wav');
  const text = await promptText(cli.screen, 'TEXT', input.args);
  const client = await cli.make.client();
  const reply = await client.audio().speech(slowContext(cli), {
    model: 'glm-tts',
    input: text.trimEnd(),
    voice: 'tongtong',
    response_format: format,
    ...input.fields,
  });
  cli.run.freeWay = 'The speech is lost: running the command again is billed once more.';
  const path = await savePaid(cli, reply, `speech.${format}`, target);
  if (target.kind !== 'stdout') await cli.screen.result({ path, content_type: reply.contentType }, () => cli.screen.clean(path));
};

export const transcribe: Handler = async (cli, input) => {
  const source = await mediaOf(cli.screen, input.arg(0), sounds, 'audio');
  const prompt = await input.wholeText('prompt', () => cli.screen.stdinText());
  const request: TranscriptionRequest = {
    ...source,
    model: 'glm-asr-2512',
    ...input.fields,
    ...(prompt !== undefined && { prompt }),
  };
  const client = await cli.make.client();
  if (input.flag('stream')) return stream(cli, client, request);
  const reply = await uploading(cli.screen, source.filename, (onProgress) => client.audio().transcribe(slowContext(cli), { ...request, onProgress }));
  await cli.screen.result(reply, () => cli.screen.clean(reply.text));
};

async function stream(cli: Cli, client: Client, request: TranscriptionRequest): Promise<void> {
  let hasText = false;
  for await (const event of client.audio().transcribeStream(slowContext(cli), request)) {
    if (!cli.screen.isText) await cli.screen.event(event);
    else {
      // The last event may repeat the complete text.
      const isLast = event.type === 'transcript.text.done';
      const piece: string = isLast && hasText ? '' : cellText(event.delta ?? (isLast ? event.text : undefined));
      if (piece !== '') await cli.screen.piece(piece);
      hasText ||= piece !== '';
    }
  }
  if (cli.screen.isText) await cli.screen.endPieces();
}
