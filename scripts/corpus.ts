import { replies, repliesReport } from './corpus/replies.ts';

// `npm run corpus -- <folder>`: checks the client against a folder of recorded data. No network is used.

const folder = process.argv[2] ?? 'test/corpus';
const found = await replies(folder);
console.log(repliesReport(found));
process.exitCode = found.refused.length + found.broken.length + found.unequal.length > 0 ? 1 : 0;
