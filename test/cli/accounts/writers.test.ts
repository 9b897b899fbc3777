import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/cli/accounts/store.ts';
import { newStore, writerProgram } from './support/store.ts';

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
});
