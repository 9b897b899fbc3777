import type { FakeService, Reply, ScriptedOperation } from '../../src/testing/index.ts';

const reply: Reply = { turn: { text: 'warm' } };

/** Perform `count` calls at once. None is answered before all have arrived, so that each leaves an idle socket. */
export async function warm(fake: FakeService, operation: ScriptedOperation, call: () => Promise<unknown>, count = 4): Promise<void> {
  let come = 0;
  let all = (): void => {};
  const here = new Promise<void>((resolve) => {
    all = resolve;
  });
  const answer = async (): Promise<Reply> => {
    if (++come === count) all();
    await here;
    return reply;
  };
  fake.answer(operation, ...Array.from({ length: count }, () => answer));
  await Promise.all(Array.from({ length: count }, call));
  await fake.idle();
}
