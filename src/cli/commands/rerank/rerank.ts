import type { RerankResult } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Column } from '../../terminal/output.ts';
import { linesOf } from '../../transfer/texts.ts';

export const run: Handler = async (cli, input) => {
  const [query = '', ...args] = input.args;
  if (args.length === 0 && !cli.screen.hasStdin) throw usageError('DOC is missing', 'Pass documents as arguments, or as lines in a pipe.');
  const documents = args.length > 0 ? args : linesOf(await cli.screen.stdinText());
  if (documents.length === 0) throw usageError('stdin has no document', 'Pass documents as arguments, or as lines in a pipe.');
  const client = await cli.make.client();
  const reply = await client.rerank().create(cli.ctx, { model: 'rerank', query, documents, ...input.fields });
  if (cli.screen.format === 'json' || cli.screen.format === 'yaml') return cli.screen.result(reply, () => '');
  const columns: readonly Column<RerankResult>[] = [
    { title: 'SCORE', text: ({ relevance_score: score }) => (typeof score === 'number' ? score.toFixed(4) : score) },
    { title: 'INDEX', text: ({ index }) => index },
    { title: 'DOCUMENT', text: ({ index }) => documents[index] },
  ];
  await cli.screen.list(reply.results, columns);
};
