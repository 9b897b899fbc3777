import type { VoiceInfo, VoiceQuery } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  const [type, name] = [input.text('type'), input.text('name')];
  const query: VoiceQuery = { ...(type !== undefined && { voiceType: type.toUpperCase() }), ...(name !== undefined && { voiceName: name }) };
  await cli.output.list((await client.voice().list(cli.ctx, query)).voice_list, columns);
};

const columns: readonly Column<VoiceInfo>[] = [
  { title: 'ID', text: ({ voice }) => voice },
  { title: 'NAME', text: ({ voice_name: name }) => name },
  { title: 'TYPE', text: ({ voice_type: type }) => type?.toLowerCase() },
  { title: 'CREATED', text: ({ create_time: time }) => time },
];
