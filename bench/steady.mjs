/**
 * Steady load: 200 calls a second for ten minutes, each client in a process of its own, all at the same time against one server.
 *
 *     npm run build && node bench/steady.mjs [seconds] [calls a second]
 */
import { disband, startCrew, startServer } from './crew.mjs';

const [seconds = '600', rate = '200'] = process.argv.slice(2);
const server = await startServer();
const crew = await startCrew(['modelsvc', 'undici'], server.port);
try {
  const task = { surface: 'chat', rate: Number(rate), seconds: Number(seconds) };
  // The compiler's work is over after the first seconds.
  await Promise.all(crew.map((worker) => worker.ask('steady', { ...task, seconds: Math.min(10, task.seconds) })));
  const results = await Promise.all(crew.map((worker) => worker.ask('steady', task, (task.seconds + 60) * 1000)));
  console.log(`${rate} calls a second for ${seconds} s\n`);
  console.log('| client | p50 | p99 | p99.9 | longest | failures | RSS at the start, after each tenth |');
  console.log('| --- | --: | --: | --: | --: | --: | --- |');
  const ms = (value) => `${value.toFixed(1)} ms`;
  for (const [index, { p50, p99, p999, most, failures, rss }] of results.entries())
    console.log(
      `| ${crew[index].name} | ${ms(p50)} | ${ms(p99)} | ${ms(p999)} | ${ms(most)} | ${failures} | ${rss.map((value) => value.toFixed(0)).join(', ')} MB |`,
    );
  const [own, theirs] = results;
  console.log(`\np99 ÷ undici: ${(own.p99 / theirs.p99).toFixed(2)}`);
  if (own.failures > 0) process.exitCode = 1;
} finally {
  disband(crew);
  server.close();
}
