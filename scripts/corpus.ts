import { replies, repliesReport } from './corpus/replies.ts';
import { schemas, schemasReport } from './corpus/schemas.ts';

// `npm run corpus -- <folder>`: checks the client against a folder of recorded answers and tool schemas. No network is used.

const folder = process.argv[2] ?? 'test/corpus';
const [answers, rewritten] = [await replies(folder), schemas(folder)];
console.log(`${repliesReport(answers)}\n\n${schemasReport(rewritten)}`);
const faults = [answers.refused, answers.broken, answers.unequal, rewritten.violations, rewritten.aboveBound];
process.exitCode = faults.some((list) => list.length > 0) ? 1 : 0;
