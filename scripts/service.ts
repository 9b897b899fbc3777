/**
 * Asks whether the service is as the document describes it.
 *
 *     npm run drift -- FILE…             by the tables of others
 *     npm run confirm -- --host URL      by small requests, or by a recording
 *     npm run confirm:apply -- FILE      takes the file of such a run into the repository
 *     npm run corpus -- FOLDER           by recorded answers: the client reads each, and can send it back
 *
 * The head of each file in scripts/service lists its options. Exit code 2: input that cannot be used.
 */
import { isModelsvcError } from '../src/overlay/index.ts';
import { SpecError } from './generate/document/source.ts';
import { Refused } from './service/facts.ts';

const questions: Readonly<Record<string, () => Promise<{ readonly main: (args: string[]) => Promise<number> }>>> = {
  drift: () => import('./service/drift.ts'),
  confirm: () => import('./service/confirm.ts'),
  apply: () => import('./service/apply.ts'),
  corpus: () => import('./service/corpus.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
try {
  const load = questions[name];
  if (!load) throw new Refused(`name a question: ${Object.keys(questions).join(', ')}`);
  const { main } = await load();
  process.exitCode = await main(args);
} catch (error) {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isInput = error instanceof Refused || error instanceof SpecError || isModelsvcError(error, 'validation') || isModelsvcError(error, 'config');
  if (!isInput && syscall === undefined && !code.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error((error as Error).message);
  process.exitCode = 2;
}
