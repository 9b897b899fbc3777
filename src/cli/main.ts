#!/usr/bin/env node
// The process of the program: its streams, its signals and its exit code.
import { CliError, exitCodes } from './errors/exit.ts';
import { type Interruption, main } from './program.ts';
import { columnsOf } from './terminal/io.ts';

/** Aborts at the first Ctrl-C or SIGTERM, and when its terminal is closed. The second ends the process, and so does the first after `release`. */
function interruption(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let isOver = false;
  const stop = (signal: NodeJS.Signals): void => {
    const given = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    if (code !== undefined || isOver) end(given);
    code = given;
    controller.abort(new CliError('interrupted', given));
  };
  process
    .on('SIGINT', stop)
    .on('SIGTERM', stop)
    .on('SIGHUP', isNohup() ? () => undefined : stop);
  return {
    controller,
    get code() {
      return code;
    },
    // The handlers stay: without them, a second Ctrl-C would end the process by the signal, and its exit code would be lost.
    release: () => void (isOver = true),
  };
}

/**
 * True if nohup started this process: it should then go on after its terminal is closed. Node drops what nohup has set, so that only the variable `_` of
 * the shell is left to tell. nohup leaves no output on a terminal.
 */
function isNohup(): boolean {
  return process.stdout.isTTY !== true && process.stderr.isTTY !== true && /(^|\/)nohup$/.test(process.env['_'] ?? '');
}

/**
 * Ends the process. `process.exit` waits for a thread that is inside the system: one that looks up a name, for as long as the resolver asks a silent
 * server. After a signal, that signal ends the process instead, from which a shell makes the same exit code.
 */
function end(code: number | undefined): void {
  const signal = code === exitCodes.interrupted ? 'SIGINT' : code === exitCodes.terminated ? 'SIGTERM' : undefined;
  if (signal !== undefined && process.getActiveResourcesInfo().some((name) => /^(GetAddrInfoReq|FSReq)/.test(name))) {
    // The handlers end child processes.
    process.emit('exit', code as number);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(code);
}

// The write itself reports a reader that is gone.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
// A terminal without a size has 0 columns, where prompts would break each line after one character.
for (const stream of [process.stdout, process.stderr]) {
  const giveSize = (): void => void (stream.isTTY && (stream.columns = columnsOf(stream)));
  giveSize();
  stream.on('resize', giveSize);
}
const argv = process.argv.slice(2);
const exitCode = await main(argv, { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, argv }, interruption);
process.exitCode = exitCode;
// The lookup of a name cannot be aborted, and would keep a process that has ended its work.
setTimeout(() => end(exitCode), 300).unref();
