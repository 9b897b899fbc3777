/** `npm run corpus -- <folder>`: checks the client against a folder of recorded answers and tool schemas. No network is used. Exit code: 1 with a finding. */
import { replies, repliesReport } from './corpus/replies.ts';
import { schemas, schemasReport } from './corpus/schemas.ts';

export async function main([folder = 'test/corpus']: string[]): Promise<number> {
  const [answers, rewritten] = [await replies(folder), schemas(folder)];
  console.log(`${repliesReport(answers)}\n\n${schemasReport(rewritten)}`);
  const faults = [answers.refused, answers.broken, answers.unequal, rewritten.violations, rewritten.aboveBound];
  return faults.some((list) => list.length > 0) ? 1 : 0;
}
