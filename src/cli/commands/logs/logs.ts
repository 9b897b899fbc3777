import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import type { LogEntry } from '../../log/entry.ts';
import { excerpt, LogReader } from '../../log/reader.ts';
import { logFolder } from '../../log/record.ts';
import { costText, tokensText } from '../../talk/usage-line.ts';
import type { Column } from '../../terminal/output.ts';
import type { Screen } from '../../terminal/screen.ts';
import { clockText } from '../../terminal/time-text.ts';
import { filterOf, noteLeftOut } from './filter.ts';

const excerptLength = 60;

export const list: Handler = (cli, input) => print(cli.screen, input, []);

export const search: Handler = (cli, input) => {
  if (input.args.some((word) => word.trim() === '')) throw usageError('TEXT is empty');
  return print(cli.screen, input, input.args);
};

async function print(screen: Screen, input: Input, words: readonly string[]): Promise<void> {
  const limit = input.number('limit') ?? 20;
  const reader = new LogReader(logFolder(screen.io.env));
  const found: LogEntry[] = [];
  let isMore = false;
  for (const entry of reader.entries({ ...(await filterOf(screen, input)), words }, 'newest first')) {
    isMore = found.length === limit;
    if (isMore) break;
    found.push(entry);
  }
  const text = ({ text: { prompt, answer } }: LogEntry): string =>
    excerpt([prompt, answer].find((one) => excerpt(one, words) !== undefined) ?? prompt, words, excerptLength) ?? '';
  if (found.length === 0) screen.note(words.length > 0 ? 'No exchange has these words.' : 'No exchanges.');
  if (found.length > 0 || !screen.isText) await screen.list(found, [...columns, { title: words.length > 0 ? 'FOUND' : 'PROMPT', text }]);
  if (isMore) screen.note(`There are more; --limit shows them.`);
  noteLeftOut(screen, reader);
}

const columns: readonly Column<LogEntry>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'TIME', isExtra: true, text: ({ time }) => clockText(new Date(time)) },
  { title: 'MODEL', isExtra: true, text: ({ model }) => model },
  { title: 'COST', isExtra: true, text: ({ cost }) => (cost === undefined ? '' : costText(cost)) },
];

export const show: Handler = async (cli, input) => {
  const [id] = input.args;
  const reader = new LogReader(logFolder(cli.screen.io.env));
  const [entry] = reader.entries({ id }, 'newest first');
  noteLeftOut(cli.screen, reader);
  if (!entry)
    throw new CliError(id === undefined ? 'the log is empty' : `there is no exchange ${id}`, exitCodes.notFound, 'Run `modelsvc logs list`.');
  await cli.screen.result(entry, () => cli.screen.clean(entryText(entry)));
};

function entryText({ id, time, command, model, conversation, rows, file, stopped, finish, usage, cost, text }: LogEntry): string {
  const { system, prompt, files = [], reasoning, answer, calls = [] } = text;
  const price = cost === undefined ? '' : `, about ${costText(cost)}`;
  const facts = {
    id,
    time: clockText(new Date(time)),
    command,
    model,
    conversation,
    rows,
    answers: file,
    tokens: usage && `${tokensText(usage)}${price}`,
  };
  return [
    ...Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(14)}${value}`])),
    ...files.map(({ name, bytes, sha256 }) => `file:         ${name}${bytes === undefined ? '' : `, ${bytes} bytes`}, sha256 ${sha256.slice(0, 12)}`),
    ...(system === undefined ? [] : ['', '[system]', system]),
    '',
    '[prompt]',
    prompt,
    ...(reasoning === undefined ? [] : ['', '[reasoning]', reasoning.trim()]),
    '',
    `[answer${stopped ? ', stopped' : finish === undefined ? '' : `, ended by ${finish}`}]`,
    answer,
    ...calls.map((call) => JSON.stringify(call)),
  ].join('\n');
}

export const exportAll: Handler = async (cli, input) => {
  const reader = new LogReader(logFolder(cli.screen.io.env));
  for (const entry of reader.entries(await filterOf(cli.screen, input), 'oldest first')) {
    cli.signal.throwIfAborted();
    await cli.screen.event(entry);
  }
  noteLeftOut(cli.screen, reader);
};
