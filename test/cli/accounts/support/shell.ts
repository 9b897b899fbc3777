// One user: a home folder, a fake service, and runs of the program without a key in the environment.
import { join } from 'node:path';
import { type FakeOptions, type FakeService, fakeKey, startFakeService } from 'modelsvc/testing';
import { onTestFinished } from 'vitest';
import { type Ended, newHome, type RunOptions, run } from '../../support/in-process.ts';

export interface User {
  readonly home: string;
  readonly folder: string;
  readonly fake: FakeService;
  /** Runs `modelsvc`; all output is kept. */
  sh(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Stores the fake's key, bound to the fake. */
  add(name: string, ...more: readonly string[]): Promise<Ended>;
  /** Everything that was printed so far. */
  readonly printed: () => string;
}

export async function newUser(options: FakeOptions = {}): Promise<User> {
  const home = await newHome();
  const fake = await startFakeService(options);
  onTestFinished(() => fake.close());
  let printed = '';
  const sh = async (args: readonly string[], { env, ...rest }: RunOptions = {}): Promise<Ended> => {
    const ended = await run(args, { ...rest, env: { HOME: home, ...env } });
    printed += ended.stdout + ended.stderr;
    return ended;
  };
  return {
    home,
    folder: join(home, '.config', 'modelsvc'),
    fake,
    sh,
    add: (name, ...more) => sh(['accounts', 'add', name, '--base-url', fake.url, ...more], { stdin: `${fakeKey}\n` }),
    printed: () => printed,
  };
}
