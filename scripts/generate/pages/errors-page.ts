/** The tables of the pages about errors: by class, from the doc comments, and by code, from the spec. */
import ts from '../../typescript.mjs';
import { list } from '../document/operations.ts';
import { type JsonObject, type Source, SpecError } from '../document/source.ts';
import { declarationsOf, firstSentence, parse } from './declarations.ts';
import { withPart } from './page-parts.ts';

/** Next steps by class. */
const advice: Readonly<Record<string, string>> = {
  ConfigError: 'Correct the field that the message names.',
  ValidationError: 'Correct the request at `path`.',
  AbortError: 'None: your signal, or `close()`, ended the call.',
  BudgetError: 'Use a budget with more, or another unit.',
  QueueError: 'Start fewer calls, or raise `maxQueue` or `queueTimeout`.',
  ConnectionError: 'Look at `code` and `cause`; try again later.',
  TimeoutError: 'Raise `timeout`, or stream long answers.',
  ApiError: 'Branch on `category`; the message ends with the next step.',
  StreamError: 'Discard the partial answer, or repeat the call.',
  ReplyError: 'Use the part in `reply`, or repeat the call, which is billed again.',
  FinishError: 'Raise the token limit, shorten the input or rephrase it, as `reason` requires.',
  TaskError: 'Look at `status` and `code`; start the job again.',
  OutputError: 'Ask again, or loosen the schema.',
  ToolLoopError: 'Raise the limit of rounds, or continue from `transcript`.',
};

/** Written by hand, except for their tables. */
export const errorsPage = 'docs/guides/errors.md';
export const errorCodesPage = 'docs/guides/error-codes.md';

/** The page with a new table between its markers; the text around it is written by hand. */
export function withErrorClasses(page: string): string {
  return withPart(errorsPage, page, 'errors by class', classTable());
}

/** The same for the page of the codes. */
export function withErrorCodes(page: string, codes: Source): string {
  return withPart(errorCodesPage, page, 'errors by code', codeTable(codes));
}

function classTable(): string {
  const files = ['overlay/errors/errors.ts', 'overlay/errors/budget-error.ts', 'overlay/errors/answer-errors.ts'];
  const classes = files.flatMap((file) => [...declarationsOf(parse(file)).values()].filter(ts.isClassDeclaration));
  const rows = classes.flatMap((one) => {
    const name = one.name?.text ?? '';
    if (name === 'ModelsvcError') return [];
    const [kind, next] = [kindOf(one), advice[name]];
    if (kind === undefined || next === undefined)
      throw new SpecError(`overlay/errors: ${name} has no ${kind === undefined ? 'kind' : 'advice in errors-page.ts'}`);
    return [`| \`${name}\` | \`${kind}\` | ${firstSentence(one)} | ${fieldsOf(one).join(', ')} | ${next} |`];
  });
  return ['| class | kind | when | fields | next step |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The first of its kinds: a ConnectionError has a TimeoutError's too. */
function kindOf(owner: ts.ClassDeclaration): string | undefined {
  const kind = owner.members.filter(ts.isPropertyDeclaration).find(({ name }) => name.getText() === 'kind');
  return /'([\w-]+)'/.exec(kind?.type?.getText() ?? '')?.[1];
}

function fieldsOf(owner: ts.ClassDeclaration): string[] {
  return owner.members
    .filter(ts.isPropertyDeclaration)
    .map((member) => member.name.getText())
    .filter((name) => !['name', 'kind'].includes(name))
    .map((name) => `\`${name}\``);
}

const retried: Readonly<Record<string, string>> = { yes: 'yes', later: 'no, resets later', never: 'no' };

function codeTable(source: Source): string {
  const rows = (list(source.value['codes']) as JsonObject[]).map(
    ({ code, category, retry, message }) => `| ${code} | ${category} | ${retried[String(retry)]} | ${String(message).replaceAll('|', '\\|')} |`,
  );
  return ['| code | category | retried | cause and next step |', '|--:|---|---|---|', ...rows].join('\n');
}
