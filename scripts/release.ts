/**
 * The programs of a release and of the machines that it runs on. Without a name it lists them.
 *
 *     npx tsx scripts/release.ts NAME [ARGUMENTS]
 */
import { programs } from './release/programs.ts';

const [name = '', ...args] = process.argv.splice(2);
const program = programs.find((one) => one.name === name);
if (program) {
  // Each program reads its own arguments.
  process.argv.push(...args);
  await program.load();
} else {
  if (name !== '') console.error(`there is no program ${name}`);
  for (const { name: known, run, checks, needs, minutes } of programs)
    console.log(`${known.padEnd(14)} ${run.padEnd(26)} ${checks}; needs ${needs}; ${minutes} min`);
  process.exitCode = name === '' ? 0 : 2;
}
