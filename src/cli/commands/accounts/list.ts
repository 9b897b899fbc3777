import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';
import { type AccountView, viewOf } from './view.ts';

export const run: Handler = async (cli) => {
  const { entries, active } = await accountStore(cli).accounts();
  const views = [...entries].map(([name, account]) => viewOf(name, account, active)).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (views.length === 0) cli.output.note('No accounts. Run `modelsvc accounts add NAME`.');
  if (views.length > 0 || !cli.output.isText) await cli.output.list(views, columns);
};

const columns: readonly Column<AccountView>[] = [
  { title: '', text: ({ active }) => (active ? '*' : '') },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'KIND', text: ({ kind }) => kind ?? 'unknown' },
  { title: 'REGION', text: ({ region }) => region },
  { title: 'KEY', text: ({ key }) => key },
  { title: 'STORE', text: ({ store }) => store },
  { title: 'ROOT', text: ({ base_url: root }) => root },
  { title: 'NOTE', text: ({ note }) => note },
];
