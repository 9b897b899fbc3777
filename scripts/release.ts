/**
 * The programs of a release and of the machines that it runs on. Without a name it lists them.
 *
 *     npx tsx scripts/release.ts NAME [ARGUMENTS]
 */
import { programs } from './release/programs.ts';

const [name = '', ...args] = process.argv.splice(2);
const program = programs[name];
if (program) {
  // Each program reads its own arguments.
  process.argv.push(...args);
  await program.load();
} else {
  if (name !== '') console.error(`there is no program ${name}`);
  for (const { run, checks, needs } of Object.values(programs)) console.log(`npm run ${run}\n  checks  ${checks}\n  needs   ${needs}`);
  process.exitCode = name === '' ? 0 : 2;
}
