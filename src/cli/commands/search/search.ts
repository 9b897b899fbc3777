import type { Cli, Handler } from '../../cli.ts';
import { listIn } from '../../terminal/reply.ts';

const ages: Readonly<Record<string, string>> = { day: 'oneDay', week: 'oneWeek', month: 'oneMonth', year: 'oneYear' };

export const run: Handler = async (cli, input) => {
  const recency = input.text('recency');
  const client = await cli.make.client();
  const reply = await client.tools().webSearch(cli.ctx, {
    search_query: input.args.join(' '),
    search_engine: 'search_std',
    ...input.fields,
    ...(recency !== undefined && { search_recency_filter: ages[recency] ?? recency }),
  });
  const found = reply.search_result;
  if (cli.screen.isText && Array.isArray(found) && found.length === 0) return cli.screen.note('No results.');
  await cli.screen.result(reply, () =>
    listIn(found)
      .map((one, at) => entryText(cli, at + 1, one))
      .join('\n\n'),
  );
};

interface SearchHit {
  readonly title?: unknown;
  readonly link?: unknown;
  readonly content?: unknown;
  readonly publish_date?: unknown;
}

function entryText({ screen }: Cli, number: number, hit: SearchHit): string {
  const indent = ' '.repeat(String(number).length + 2);
  const [title = '', link = '', content = '', date = ''] = [hit.title, hit.link, hit.content, hit.publish_date].map((text) =>
    oneLine(screen.clean(text ?? '')),
  );
  if (title + link + content === '') throw new TypeError('the reply has no text');
  return [`${number}. ${screen.paint('bold', title)}${date === '' ? '' : `  ${date}`}`, link, content]
    .filter((line) => line !== '')
    .map((line, at) => (at === 0 ? line : indent + line))
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
