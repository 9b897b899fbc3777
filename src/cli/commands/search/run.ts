import type { Cli, Handler } from '../../cli.ts';

const ages: Readonly<Record<string, string>> = { day: 'oneDay', week: 'oneWeek', month: 'oneMonth', year: 'oneYear' };

export const run: Handler = async (cli, input) => {
  const recency = input.text('recency');
  const client = await cli.client();
  const reply = await client.tools().webSearch(cli.ctx, {
    search_query: input.args.join(' '),
    search_engine: 'search_std',
    ...input.fields,
    ...(recency !== undefined && { search_recency_filter: ages[recency] }),
  });
  const found = reply.search_result ?? [];
  if (cli.output.isText && found.length === 0) return cli.output.note('No results.');
  await cli.output.result(reply, () => found.map((one, at) => entryText(cli, at + 1, one)).join('\n\n'));
};

interface SearchHit {
  readonly title?: string;
  readonly link?: string;
  readonly content?: string;
  readonly publish_date?: string;
}

function entryText({ output }: Cli, number: number, { title = '', link = '', content = '', publish_date: date = '' }: SearchHit): string {
  const indent = ' '.repeat(String(number).length + 2);
  const head = `${number}. ${output.paint('bold', oneLine(output.clean(title)))}${date === '' ? '' : `  ${oneLine(output.clean(date))}`}`;
  return [head, oneLine(output.clean(link)), oneLine(output.clean(content))]
    .filter((line) => line !== '')
    .map((line, at) => (at === 0 ? line : indent + line))
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
