// MCP servers that hang: the wait for one has a name, a bound and a way out, and no process of it is left when the program ends.
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faults } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stoppedClock, until } from '../../support/clock.ts';
import { ends, newHome, withFake } from '../support/in-process.ts';

const script = fileURLToPath(new URL('support/stubborn-server.mjs', import.meta.url));

interface Server {
  readonly command: string;
  /** The lines that its processes have written. */
  lines(): string[];
  /** Its processes that still run. */
  alive(): number[];
}

async function server(...traits: string[]): Promise<Server> {
  const file = join(await newHome(), 'processes');
  const lines = (): string[] => {
    try {
      return readFileSync(file, 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  };
  const alive = (): number[] =>
    lines()
      .map(Number)
      .filter((pid) => pid > 0 && runs(pid));
  onTestFinished(() => {
    for (const pid of alive()) process.kill(pid, 'SIGKILL');
  });
  return { command: `'${process.execPath}' '${script}' '${file}' ${traits.join(' ')}`, lines, alive };
}

/** False for a process that is gone, or that only waits to be reaped. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Ways to start a server. */
const forms: Readonly<Record<string, (command: string) => string>> = {
  alone: (command) => command,
  'by a shell that waits': (command) => `sh -c "${command}; true"`,
};

/** Exit codes that a shell makes of signals. */
const shellCodes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

type Ending = 'its answer' | 'Ctrl-C' | 'a second Ctrl-C' | 'SIGTERM';
const endings: readonly (readonly [Ending, number])[] = [
  ['its answer', 0],
  ['Ctrl-C', 130],
  ['a second Ctrl-C', 130],
  ['SIGTERM', 143],
];
const table = endings.flatMap(([ending, code]) => Object.keys(forms).map((form) => [ending, code, form] as const));

describe.skipIf(process.platform === 'win32')('a server of --mcp', () => {
  it.each(table)('that ignores the end of stdin and SIGTERM: %s (%i) leaves no process, started %s', async (ending, code, form) => {
    const { fake, modelsvc } = await withFake();
    const { command, lines, alive } = await server('stays', 'child');
    if (ending === 'its answer') fake.chat.reply('Done.');
    else fake.answer('chat.create', faults.silentBeforeHeaders());
    let child: ChildProcess | undefined;
    const run = modelsvc(['chat', 'go', '--mcp', forms[form]?.(command) ?? '', '--yes', '-q'], { onStart: (started) => (child = started) });
    await until(() => lines().length === 2);
    if (ending !== 'its answer') {
      await until(() => fake.requests.length === 1);
      child?.kill(ending === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
      await until(() => fake.exchanges === 0);
      if (ending === 'a second Ctrl-C') child?.kill('SIGINT');
    }
    // If a thread is inside the system, the signal itself ends the process: a shell makes 130 of SIGINT too.
    expect((await run).code ?? shellCodes[child?.signalCode ?? '']).toBe(code);
    await until(() => alive().length === 0);
  });

  it.each(['initialize', 'tools/list'])('that never answers %s: its name on stderr, and SIGINT ends the wait', async (method) => {
    const { fake, modelsvc } = await withFake();
    const { command, alive } = await server(`silent=${method}`, 'child');
    const run = modelsvc(['chat', 'go', '--mcp', command, '--yes'], {
      onStart: (child) => child.stderr.on('data', (text: string) => text.includes('waiting for the MCP server') && child.kill('SIGINT')),
    });
    expect(await run).toMatchObject(ends(130, `waiting for the MCP server ${process.execPath} ${script}, at most 60 s for each answer\n`));
    expect([fake.requests.length, alive()]).toEqual([0, []]);
  });

  it.each(['initialize', 'tools/list'])('that never answers %s: is left after a minute, by name', async (method) => {
    const { fake, modelsvc } = await withFake();
    const { command, lines, alive } = await server(`silent=${method}`, 'stays', 'child');
    const clock = stoppedClock();
    const run = modelsvc(['chat', 'go', '--mcp', command, '--yes']);
    await clock.until(() => lines().includes('asked') && lines().length === 3, 0);
    expect(await clock.run(run, 100)).toMatchObject(
      ends(1, `modelsvc: --mcp: the server ${process.execPath} ${script} did not start: no answer within 60 s\nRun its command alone`),
    );
    expect(fake.requests).toHaveLength(0);
    await until(() => alive().length === 0);
  });
});
