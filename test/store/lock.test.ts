import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PlainError } from '../../src/store/error.ts';
import { lockOrFail, Watch, withLock, withLockSync } from '../../src/store/lock.ts';
import { newFolder } from './support.ts';

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** A lock of another machine. */
function madeLock(path: string): string {
  writeFileSync(join(madeFolder(path), '00000000000a.1.00000000000b'), '');
  return path;
}

function treeOf(folder: string): string[][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isFile() ? readFileSync(path, 'utf8') : entry.isSymbolicLink() ? readlinkSync(path) : 'folder'];
  });
}

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
    mkdirSync(path);
    writeFileSync(join(path, owner.replace(`.${process.pid}.`, `.${dead.pid}.`)), '');
    expect(withLockSync(path, () => 'held')).toBe('held');
  });

  it.runIf(process.platform === 'linux')('of a process that is gone, and whose parent does not ask for it, is taken over at once', async () => {
    const path = join(await newFolder(), 'lock');
    // The shell becomes a program that never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 300'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = await new Promise<string>((resolve) => parent.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())));
    while (!/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise((resolve) => setTimeout(resolve, 5));
    let owner = '';
    await withLock(path, signal, async () => void (owner = readdirSync(path)[0] ?? ''));
    const lock = (): void => {
      mkdirSync(path);
      writeFileSync(join(path, owner.replace(`.${process.pid}.`, `.${pid}.`)), '');
    };
    lock();
    await expect(withLock(path, signal, async () => 'held')).resolves.toBe('held');
    lock();
    expect(withLockSync(path, () => 'held')).toBe('held');
    lock();
    (await lockOrFail(path, signal, (holder) => new PlainError(`held by ${holder}`))).release();
  });

  it('that a killed process could not take is removed by the next one', async () => {
    const path = join(await newFolder(), 'lock');
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.on('exit', resolve));
    let owner = '';
    await withLock(path, signal, async () => void (owner = readdirSync(path)[0] ?? ''));
    const names = [dead.pid, process.pid].map((pid) => `.${owner.replace(`.${process.pid}.`, `.${pid}.`)}.lock`);
    for (const name of names) mkdirSync(join(dirname(path), name));
    await withLock(path, signal, async () => undefined);
    expect(readdirSync(dirname(path))).toEqual([names[1]]);
  });

  it('of another machine is removed 10 s after its last beat, as the waiter counts', async () => {
    const path = join(await newFolder(), 'lock');
    mkdirSync(path);
    const file = join(path, '00000000000a.1.00000000000b');
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
    const file = join(path, '00000000000a.77.00000000000b');
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

  const foreign: readonly [what: string, make: (path: string, own: string) => void][] = [
    ['a folder with a file of the user', (path) => writeFileSync(join(madeFolder(path), 'notes.txt'), 'mine')],
    ['a folder with names that resemble an owner', (path) => writeFileSync(join(madeFolder(path), 'report.1.a'), 'mine')],
    ['a folder with folders', (path) => mkdirSync(join(madeFolder(path), '00000000000a'))],
    ['a file', (path) => writeFileSync(path, 'mine')],
    ['a link to a folder with files', (path, own) => symlinkSync(dirname(own), path, 'junction')],
    ['a link to an empty folder', (path, own) => symlinkSync(madeFolder(`${dirname(own)}.empty`), path, 'junction')],
    ['a link to a lock', (path, own) => symlinkSync(madeLock(`${dirname(own)}.other`), path, 'junction')],
    ['a link to nothing', (path) => symlinkSync(`${path}.nothing`, path, 'junction')],
  ];

  it.each(foreign)('%s is not a lock, and stays as it is', async (_what, make) => {
    const folder = await newFolder();
    const path = join(folder, 'lock');
    make(path, join(madeFolder(join(folder, 'own')), 'notes.txt'));
    writeFileSync(join(folder, 'own', 'notes.txt'), 'mine');
    const before = treeOf(folder);
    const controller = new AbortController();
    const waiting = withLock(path, controller.signal, async () => 'held');
    await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow();
    const watch = new Watch(path);
    watch.look(100_000);
    watch.look(110_000);
    for (let time = 0; time < 2; time++)
      expect(() => watch.look(110_001)).toThrow(
        expect.objectContaining({
          message: `${path} is not a lock of modelsvc`,
          next: 'No file was changed. Move it away, then run the command again.',
        }),
      );
    expect(watch.holder).toBeUndefined();
    expect(treeOf(folder)).toEqual(before);
  });

  it('with a dead owner next to a file of the user loses its owner only', async () => {
    const path = join(await newFolder(), 'lock');
    madeLock(path);
    writeFileSync(join(path, 'a note'), 'mine');
    const watch = new Watch(path);
    watch.look(0);
    watch.look(10_001);
    expect(readdirSync(path)).toEqual(['a note']);
    watch.look(10_002);
    expect(() => watch.look(20_003)).toThrow('is not a lock of modelsvc');
    expect(readdirSync(path)).toEqual(['a note']);
  });

  it('that was taken away stops the next write', async () => {
    const path = join(await newFolder(), 'lock');
    const body = withLock(path, signal, async (check) => {
      writeFileSync(join(path, '00000000000c.1.00000000000b'), '');
      const [own = ''] = readdirSync(path).filter((name) => !name.startsWith('00000000000c'));
      unlinkSync(join(path, own));
      check();
    });
    await expect(body).rejects.toThrow('another process took over the lock');
  });

  it('of a process that runs, asked for without waiting, is reported with its process', async () => {
    const path = join(await newFolder(), 'lock');
    const heldBy = (pid: string): PlainError => new PlainError(`held by ${pid}`);
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
    const file = join(path, '00000000000a.77.00000000000b');
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
