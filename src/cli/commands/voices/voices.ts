import type { Client } from 'modelsvc';
import type { VoiceInfo, VoiceQuery } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Column } from '../../terminal/output.ts';
import { cellText, idIn } from '../../terminal/reply.ts';
import { mediaOf, sounds, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const clone: Handler = async (cli, input) => {
  const stdin = (): Promise<string> => cli.screen.stdinText();
  const spoken = (await input.wholeText('text', stdin)) ?? '';
  const sampleText = await input.wholeText('transcript', stdin);
  const client = await cli.make.client();
  const stored = input.text('file-id');
  if (stored !== undefined && input.args.length > 1) throw usageError('FILE and --file-id exclude each other');
  const sample = stored ?? (await uploaded(cli, client, input.arg(1)));
  const request = { model: 'glm-tts-clone', ...input.fields, voice_name: input.arg(0), input: spoken, file_id: sample, text: sampleText };
  const reply = await client
    .voice()
    .clone(slowContext(cli), request)
    .catch((error: unknown) => {
      cli.screen.note(
        `The sample is stored as file ${sample}. Pass --file-id ${sample} instead of FILE to use it again, or delete it: modelsvc files delete ${sample}`,
      );
      throw error;
    });
  await cli.screen.result(reply, () => cli.screen.clean(reply.voice));
};

async function uploaded(cli: Cli, client: Client, path: string): Promise<string> {
  const source = await mediaOf(cli.screen, path, sounds, 'sample');
  const file = await uploading(cli.screen, source.filename, (onProgress) =>
    client.files().upload(slowContext(cli), { ...source, purpose: 'voice-clone-input', onProgress }),
  );
  return idIn(file.id);
}

export const remove: Handler = async (cli, input) => {
  const voice = input.arg(0);
  const client = await cli.make.client();
  await cli.screen.confirm(`Delete the voice ${voice}?`);
  const reply = await client.voice().delete(cli.ctx, { ...input.fields, voice });
  await cli.screen.result(reply, () => `deleted ${cli.screen.clean(voice)}`);
};

export const list: Handler = async (cli, input) => {
  const client = await cli.make.client();
  const query: VoiceQuery = { ...input.fields, voiceType: input.text('type')?.toUpperCase() };
  await cli.screen.list((await client.voice().list(cli.ctx, query)).voice_list, columns);
};

const columns: readonly Column<VoiceInfo>[] = [
  { title: 'ID', text: ({ voice }) => voice },
  { title: 'NAME', text: ({ voice_name: name }) => name },
  { title: 'TYPE', text: ({ voice_type: type }) => cellText(type).toLowerCase() },
  { title: 'CREATED', text: ({ create_time: time }) => time },
];
