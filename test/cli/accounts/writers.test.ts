import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/cli/accounts/store.ts';
import { CliError } from '../../../src/cli/errors/exit.ts';
import { lockOrFail, Watch, withLock } from '../../../src/cli/files/lock.ts';
import { account, newFolder, newStore, writerProgram } from './support/store.ts';

type Writer = ChildProcessByStdio<Writable, Readable, Readable>;
type Change = readonly string[];

function start(program: string, args: readonly string[]): Writer {
  return spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Exit code, signal and all output. */
async function ended(writer: Writer): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  writer.stdout.on('data', (text) => (stdout += text));
  writer.stderr.on('data', (text) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => writer.on('close', resolve));
  return { code, stdout, stderr };
}

/** Names with the word for their key: the complete state that a user sees. */
async function stateOf(store: AccountStore): Promise<{ names: string[]; active: string | undefined; withoutKey: string[] }> {
  const { entries, active } = await store.accounts();
  const withoutKey: string[] = [];
  for (const name of entries.keys()) await store.secret(name).catch(() => withoutKey.push(name));
  return { names: [...entries.keys()].sort(), active, withoutKey };
}

describe('several processes', () => {
  it('8 processes that add accounts at once lose none', async () => {
    const program = await writerProgram();
    const store = await newStore();
    const writers = Array.from({ length: 8 }, (_, at) => ended(start(program, [store.folder, 'add', `w${at}`, '12'])));
    for (const { code, stderr } of await Promise.all(writers)) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { names, withoutKey } = await stateOf(store);
    expect(names).toEqual(Array.from({ length: 96 }, (_, at) => `w${Math.floor(at / 12)}-${at % 12}`).sort());
    expect(withoutKey).toEqual([]);
    expect(await store.orphans()).toEqual([]);
    expect((await readdir(store.folder)).sort()).toEqual(['accounts.json', 'credentials.json']);
  });
});

/** The state after the acknowledged changes. */
class Model {
  readonly names = new Set<string>();
  active: string | undefined;

  apply([verb, name = '', other = '']: Change): void {
    if (verb === 'add') {
      this.names.add(name);
      this.active ??= name;
    } else if (verb === 'use') this.active = name;
    else if (verb === 'rename') {
      this.names.delete(name);
      this.names.add(other);
      if (this.active === name) this.active = other;
    } else {
      this.names.delete(name);
      const [next] = this.names;
      if (this.active === name) this.active = this.names.size === 1 ? next : undefined;
    }
  }

  copy(): Model {
    const copy = new Model();
    for (const name of this.names) copy.names.add(name);
    copy.active = this.active;
    return copy;
  }

  get state(): { names: string[]; active: string | undefined } {
    return { names: [...this.names].sort(), active: this.active };
  }
}

/** Kills a writer some lines after its first, at a random moment of the next step. The length of a step is measured. */
function killAfter(writer: Writer, lines: number): void {
  let [seen, firstAt] = [0, 0];
  const look = (text: Buffer): void => {
    if (seen === 0) firstAt = performance.now();
    seen += text.toString().split('\n').length - 1;
    if (seen <= lines) return;
    writer.stdout.off('data', look);
    const stepMs = Math.max((performance.now() - firstAt) / seen, 2);
    setTimeout(() => writer.kill('SIGKILL'), Math.random() * 2 * stepMs);
  };
  writer.stdout.on('data', look);
}

/** Kills of each of the two lanes, at random moments. */
const rounds = 10 * Number(process.env['KILL_ROUNDS'] ?? 3);

describe('kill -9', () => {
  it('at random moments loses no acknowledged change', async () => {
    const program = await writerProgram();
    const lanes = [0, 1].map(async (lane) => {
      const store = await newStore();
      const model = new Model();
      let changes = 0;
      let next = start(program, [store.folder, 'loop', `a${lane}`]);
      for (let round = 0; round < rounds; round++) {
        const writer = next;
        if (round + 1 < rounds) next = start(program, [store.folder, 'loop', `b${lane}-${round}`]);
        const end = ended(writer);
        killAfter(writer, Math.floor(Math.random() * 8));
        writer.stdin.write('go');
        const { stdout, stderr } = await end;
        expect(stderr).toBe('');
        let pending: Change | undefined;
        for (const line of stdout.split('\n').slice(0, -1)) {
          const [word, ...change] = JSON.parse(line) as [string, ...string[]];
          pending = word === 'try' ? change : undefined;
          if (word === 'done') model.apply(change);
          if (word === 'done') changes++;
        }
        const { withoutKey, ...state } = await stateOf(store);
        // The last change was not acknowledged: it may be there or not, and a key may be removed before its account.
        const after = model.copy();
        if (pending) after.apply(pending);
        expect([model.state, after.state]).toContainEqual(state);
        expect(withoutKey).toEqual(withoutKey.length > 0 && pending?.[0] === 'remove' ? [pending[1]] : []);
        if (JSON.stringify(state) !== JSON.stringify(model.state) && pending) model.apply(pending);
        for (const name of withoutKey) {
          await store.remove(name);
          model.apply(['remove', name]);
        }
      }
      return changes;
    });
    const changes = await Promise.all(lanes);
    expect(Math.min(...changes)).toBeGreaterThan(0);
  });

  it('a temporary file of a killed process goes with the next change', async () => {
    const store = await newStore();
    await store.put([account('work')]);
    writeFileSync(join(store.folder, '.credentials.json.0123456789ab.tmp'), 'half a key', { mode: 0o600 });
    await store.put([account('home')]);
    expect((await readdir(store.folder)).sort()).toEqual(['accounts.json', 'credentials.json']);
  });
});

describe('the lock', () => {
  const signal = new AbortController().signal;

  it('is held by one body at a time', async () => {
    const path = join(await newFolder(), 'lock');
    let [inside, most] = [0, 0];
    const body = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(path, new AbortController().signal, body)));
    expect(most).toBe(1);
  });

  it('of a process that is gone is taken over at once', async () => {
    const path = join(await newFolder(), 'lock');
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.on('exit', resolve));
    let owner = '';
    await withLock(path, signal, async () => void (owner = readdirSync(path)[0] ?? ''));
    mkdirSync(path);
    writeFileSync(join(path, owner.replace(`.${process.pid}.`, `.${dead.pid}.`)), '');
    await expect(withLock(path, signal, async () => 'held')).resolves.toBe('held');
  });

  it('of another machine is removed 10 s after its last beat, as the waiter counts', async () => {
    const path = join(await newFolder(), 'lock');
    mkdirSync(path);
    const file = join(path, 'another-machine.1.a');
    writeFileSync(file, '');
    const watch = new Watch(path);
    for (const [now, beat] of [
      [0, 1],
      [9000, 2],
      [18_000, 3],
      [27_000, 3],
      [28_000, 3],
    ] as const) {
      utimesSync(file, beat, beat);
      watch.look(now);
      expect(existsSync(path), `at ${now}`).toBe(true);
    }
    watch.look(28_001);
    expect(existsSync(path)).toBe(false);
  });

  it('that is held for a minute is reported with its process', async () => {
    const path = join(await newFolder(), 'lock');
    mkdirSync(path);
    const file = join(path, 'another-machine.77.a');
    writeFileSync(file, '');
    const watch = new Watch(path);
    for (let now = 0; now <= 60_000; now += 5000) {
      utimesSync(file, now, now);
      watch.look(now);
    }
    utimesSync(file, 1, 1);
    expect(() => watch.look(60_001)).toThrow('process 77 has held the lock lock for a minute');
    expect(existsSync(file)).toBe(true);
  });

  it('an empty folder, left by a kill in the middle of taking it, is removed after 10 s', async () => {
    const path = join(await newFolder(), 'lock');
    mkdirSync(path);
    const watch = new Watch(path);
    watch.look(0);
    watch.look(10_000);
    expect(existsSync(path)).toBe(true);
    watch.look(10_001);
    expect(existsSync(path)).toBe(false);
  });

  it('that was taken away stops the next write', async () => {
    const path = join(await newFolder(), 'lock');
    const body = withLock(path, signal, async (check) => {
      writeFileSync(join(path, 'thief.1.a'), '');
      const [own = ''] = readdirSync(path).filter((name) => !name.startsWith('thief'));
      unlinkSync(join(path, own));
      check();
    });
    await expect(body).rejects.toThrow('another process took over the lock');
  });

  it('of a process that runs, asked for without waiting, is reported with its process', async () => {
    const path = join(await newFolder(), 'lock');
    const heldBy = (pid: string): CliError => new CliError(`held by ${pid}`);
    await withLock(path, signal, async () => {
      await expect(lockOrFail(path, signal, heldBy)).rejects.toThrow(`held by ${process.pid}`);
    });
    const lock = await lockOrFail(path, signal, heldBy);
    lock.check();
    lock.release();
  });

  it('of a killed process, whose id belongs to another one by now, does not count as held', async () => {
    const path = join(await newFolder(), 'lock');
    let owner = '';
    await withLock(path, signal, async () => void (owner = readdirSync(path)[0] ?? ''));
    mkdirSync(path);
    writeFileSync(join(path, owner), '');
    expect(new Watch(path).holder).toBe(String(process.pid));
    utimesSync(join(path, owner), 1, 1);
    expect(new Watch(path).holder).toBeUndefined();
  });

  it('of another machine counts as held once it beats', async () => {
    const path = join(await newFolder(), 'lock');
    mkdirSync(path);
    const file = join(path, 'another-machine.77.a');
    writeFileSync(file, '');
    const watch = new Watch(path);
    utimesSync(file, 1, 1);
    watch.look(0);
    expect(watch.holder).toBeUndefined();
    utimesSync(file, 2, 2);
    watch.look(1);
    expect(watch.holder).toBe('77');
  });

  it('Ctrl-C ends the wait for it', async () => {
    const path = join(await newFolder(), 'lock');
    const controller = new AbortController();
    await withLock(path, signal, async () => {
      const waiting = withLock(path, controller.signal, async () => 'held');
      controller.abort(new Error('interrupted'));
      await expect(waiting).rejects.toThrow();
    });
    await expect(withLock(path, signal, async () => 'held')).resolves.toBe('held');
  });
});
