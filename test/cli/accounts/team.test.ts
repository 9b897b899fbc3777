// The plan of a team: the ids of an account or of the options are sent on the monitor routes.
import type { FakeRequest } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';

const ids = ['--organization', 'org-1', '--project', 'proj-1'];
const sent = ({ target, headers }: FakeRequest): unknown[] => [
  new URL(target, 'http://fake').searchParams.get('type'),
  headers['bigmodel-organization'],
  headers['bigmodel-project'],
];
const none = [null, undefined, undefined];
const team = ['2', 'org-1', 'proj-1'];

async function user() {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  const monitor = (): unknown[][] => fake.requests.filter(({ operation }) => operation?.startsWith('quota.')).map(sent);
  return {
    fake,
    monitor,
    run: (args: readonly string[], stdin?: string) => modelsvc(args, { env: { HOME: home, SVC_API_KEY: '' }, ...(stdin && { stdin }) }),
  };
}

describe('an account of a team', () => {
  it('keeps its ids, sends them for quota and usage, and loses them with another kind', async () => {
    const { fake, monitor, run } = await user();
    const base = ['--base-url', fake.url];
    const key = 'fake-id.fake-secret\n';
    expect(await run(['accounts', 'add', 'crew', ...ids, ...base], key)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('team') as string,
    });
    expect(monitor()).toEqual([team]);
    expect(JSON.parse((await run(['accounts', 'show', 'crew', '--json'])).stdout)).toMatchObject({
      kind: 'team',
      organization: 'org-1',
      project: 'proj-1',
    });
    await run(['quota', '--account', 'crew']);
    await run(['quota', '--all-accounts']);
    await run(['usage', '--account', 'crew']);
    expect(monitor().slice(1)).toEqual([team, team, team, team, team]);
    await run(['accounts', 'add', 'crew', '--kind', 'plan', '--replace', ...base], key);
    const before = monitor().length;
    await run(['quota', '--account', 'crew']);
    expect(monitor().slice(before)).toEqual([none]);
  });

  it('without ids is stored with a warning where no prompt is possible', async () => {
    const { fake, run } = await user();
    expect(await run(['accounts', 'add', 'crew', '--kind', 'team', '--base-url', fake.url], 'fake-id.fake-secret\n')).toMatchObject(
      ends(0, 'needs --organization and --project'),
    );
  });

  it.each([
    [['accounts', 'add', 'crew', '--organization', 'org-1'], '--organization and --project go together'],
    [['accounts', 'add', 'crew', '--kind', 'plan', ...ids], '--organization is for --kind team, not plan'],
    [['quota', '--project', 'p'], '--organization and --project go together'],
    [['usage', '--organization', ' ', '--project', 'p'], '--organization and --project go together'],
    [['quota', '--all-accounts', ...ids], '--all-accounts excludes'],
  ])('%j is refused before a request', async (args, problem) => {
    const { fake, run } = await user();
    expect(await run(args, 'fake-id.fake-secret\n')).toMatchObject(ends(2, problem));
    expect(fake.requests).toEqual([]);
  });
});

describe('a key of the environment', () => {
  it('has the team of the options', async () => {
    const { fake, modelsvc } = await withFake();
    for (const command of ['quota', 'usage']) await modelsvc([command, ...ids]);
    await modelsvc(['quota']);
    expect(fake.requests.map(sent)).toEqual([team, team, team, team, none]);
  });

  it('of a team without its ids gets a list of what it needs, not to try again', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('quota.getLimit', { body: { code: 500, success: false, msg: '当前用户不存在coding plan' } });
    const { stderr, code } = await modelsvc(['quota']);
    expect({ stderr, code }).toMatchObject(ends(5, "A team's key needs"));
    expect(stderr).not.toMatch(/try again/i);
    expect(fake.requests).toHaveLength(1);
  });
});
