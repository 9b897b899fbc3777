// Where a key goes, for each way to name the account: the request of each surface as --dry-run prints it.
import { serviceRoots } from 'modelsvc/types';
import { describe, expect, it } from 'vitest';
import { newHome, run } from './support/in-process.ts';

const china = serviceRoots.chat.china;
const surfaces: readonly (readonly [surface: keyof typeof serviceRoots, args: readonly string[], path: string])[] = [
  ['chat', ['chat', 'hi'], '/chat/completions'],
  ['messages', ['messages', 'hi'], '/v1/messages'],
  ['responses', ['responses', 'hi'], '/responses'],
  ['agents', ['agents', 'invoke', 'general_translation', 'hi'], '/v1/agents'],
  ['monitor', ['quota'], '/usage/quota/limit'],
  ['biz', ['api', 'GET', '/account/info'], '/account/info'],
  ['china', ['embeddings', 'create', 'hi'], '/embeddings'],
];
type Env = Readonly<Record<string, string>>;
const gateway = 'https://gateway.example/v1';
const ways: readonly (readonly [name: string, env: Env, options: readonly string[], root: 'global' | 'china' | string])[] = [
  ['nothing', {}, [], 'global'],
  ['SVC_REGION', { SVC_REGION: 'china' }, [], 'china'],
  ['SVC_REGION in quotes', { SVC_REGION: '"china"' }, [], 'china'],
  ['--region', {}, ['--region', 'china'], 'china'],
  ['SVC_API_BASE_URL', { SVC_API_BASE_URL: china }, [], 'china'],
  ['SVC_API_BASE_URL in quotes', { SVC_API_BASE_URL: `'${china}/'` }, [], 'china'],
  ['SVC_API_BASE_URL with case and port', { SVC_API_BASE_URL: 'HTTPS://Open.BigModel.cn:443/api/paas/v4' }, [], 'china'],
  ['SVC_API_BASE_URL with a final dot', { SVC_API_BASE_URL: 'https://open.bigmodel.cn./api/paas/v4' }, [], 'china'],
  ['--base-url with a final dot', {}, ['--base-url', 'https://open.bigmodel.cn./api/paas/v4'], 'china'],
  ['SVC_API_BASE_URL and SVC_REGION', { SVC_API_BASE_URL: china, SVC_REGION: 'china' }, [], 'china'],
  ['an empty SVC_API_BASE_URL', { SVC_API_BASE_URL: '' }, [], 'global'],
  ['--base-url', {}, ['--base-url', china], 'china'],
  ['--base-url before SVC_API_BASE_URL', { SVC_API_BASE_URL: gateway }, ['--base-url', china], 'china'],
  ['a gateway', { SVC_API_BASE_URL: gateway }, [], gateway],
  [
    'a host that imitates the vendor',
    { SVC_API_BASE_URL: 'https://open.bigmodel.cn.evil.example/v1' },
    [],
    'https://open.bigmodel.cn.evil.example/v1',
  ],
];

async function dry(args: readonly string[], env: Env) {
  return run([...args, '--dry-run'], { env: { HOME: await newHome(), SVC_API_KEY: 'key-0123456789abcdef', ...env } });
}

describe.each(ways)('a key with %s', (_name, env, options, root) => {
  it.each(surfaces)('reaches one host with %s', async (surface, args, path) => {
    const { stdout, stderr, code } = await dry([...args, ...options], env);
    const at = root === 'global' || root === 'china' ? serviceRoots[surface][root] : root;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n', 1)[0]).toMatch(new RegExp(`^\\w+ ${`${at}${path}`.replaceAll('.', '\\.')}(\\?|$)`));
  });
});

describe('is refused before the network', () => {
  it.each([
    [{ SVC_API_BASE_URL: china }, ['--region', 'global'], 'SVC_API_BASE_URL is a root of open.bigmodel.cn, and --region is global'],
    [{ SVC_API_BASE_URL: china, SVC_REGION: 'global' }, [], 'SVC_API_BASE_URL is a root of open.bigmodel.cn, and SVC_REGION is global'],
    [{ SVC_API_BASE_URL: 'https://open.bigmodel.cn/v1' }, [], 'SVC_API_BASE_URL has a path that open.bigmodel.cn does not have'],
    [{ SVC_API_BASE_URL: serviceRoots.coding.china }, [], 'is the coding-plan endpoint'],
    [{ SVC_API_BASE_URL: 'http://gateway.example/v1' }, [], 'SVC_API_BASE_URL must begin with https://'],
    [{ SVC_API_BASE_URL: 'https://a:b@gateway.example/v1' }, [], 'SVC_API_BASE_URL must be a URL'],
    [{ SVC_API_BASE_URL: 'here' }, [], 'SVC_API_BASE_URL must be a URL'],
    [{ SVC_REGION: 'moon' }, [], 'SVC_REGION must be global or china'],
  ])('%j %j', async (env, options, words) => {
    const { code, stderr, stdout } = await dry(['chat', 'hi', ...options], env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });
});

it('the paths of the API reference name their surface', async () => {
  for (const [surface, roots] of Object.entries(serviceRoots))
    for (const [at, , path] of surfaces.filter(([one]) => one === surface || (one === 'chat' && surface === 'coding'))) {
      const { pathname } = new URL(roots.global);
      const { stdout } = await dry(['api', at === 'monitor' || at === 'biz' ? 'GET' : 'POST', `${pathname}${path}`], { SVC_REGION: 'china' });
      expect(stdout.split('\n', 1)[0]).toMatch(` ${serviceRoots[at].china}${path}`);
    }
});
