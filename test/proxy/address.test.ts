import { describe, expect, it, vi } from 'vitest';
import { proxyChoice } from '../../src/proxy/environment.ts';
import { proxyFor } from '../../src/proxy/index.ts';
import { password, routeBy, shown, target } from '../support/dial.ts';

describe('proxies of the environment', () => {
  it.each([
    ['socks5://user:hidden-word@127.0.0.1:1080', /^environment variable HTTPS_PROXY is a SOCKS proxy \(socks5:\/\/\)/],
    ['socks5h://hidden-word', /SOCKS proxy \(socks5h:/],
    ['socks4a://hidden-word', /SOCKS proxy \(socks4a:/],
    ['socks://hidden-word', /SOCKS proxy \(socks:/],
    ['ftp://hidden-word', /HTTPS_PROXY has an unsupported scheme/],
    ['hidden-word://x', /HTTPS_PROXY has an unsupported scheme/],
    ['http://', /HTTPS_PROXY is not a URL/],
    ['hidden-word:port', /HTTPS_PROXY is not a URL/],
    ['http://host:99999/hidden-word', /HTTPS_PROXY is not a URL/],
    ['http://user:hidden-word%zz@host:1', /HTTPS_PROXY has credentials that are not valid percent-encoding/],
    ['http://user:12/hidden-word@host:1', /HTTPS_PROXY has an "@" after the host/],
    ['http://user:12#hidden-word@host:1', /HTTPS_PROXY has an "@" after the host/],
  ])('%s is refused by name', (value, message) => {
    let error: unknown;
    try {
      routeBy(value);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: 'ProxyError', proxy: 'HTTPS_PROXY', phase: 'connect', message: expect.stringMatching(message) });
    expect(shown(error)).not.toContain(password);
  });

  it('names the variable that was taken', () => {
    routeBy('http://127.0.0.1:3128');
    vi.stubEnv('HTTPS_PROXY', '');
    vi.stubEnv('HTTP_PROXY', '');
    vi.stubEnv('all_proxy', 'socks5://x');
    expect(() => proxyFor(target, process.env)).toThrow(/environment variable all_proxy /);
    vi.stubEnv('https_proxy', 'quic://x');
    expect(() => proxyFor(target, process.env)).toThrow(/environment variable https_proxy /);
    expect(() => proxyFor('http://127.0.0.1/', process.env)).toThrow(/environment variable all_proxy /);
  });

  it('gives one route per proxy and protocol, and none without a proxy', () => {
    const route = routeBy('http://127.0.0.1:3128');
    expect(routeBy('http://127.0.0.1:3128', 'https://other.test/path')).toBe(route);
    expect(routeBy('http://127.0.0.1:3128', 'http://other.test/')).not.toBe(route);
    vi.stubEnv('NO_PROXY', '.test,[::1]');
    expect(proxyFor('https://other.test/', process.env)).toBeUndefined();
    expect(proxyFor('https://[::1]:8080/', process.env)).toBeUndefined();
    expect(proxyFor(target, process.env)).toBe(route);
  });

  it.each([
    ['proxy.test', 'proxy.test:80'],
    ['user:word@proxy.test:8080', 'proxy.test:8080'],
    ['https://proxy.test', 'proxy.test:443'],
    ['http://[::1]:3128', '[::1]:3128'],
    ['HTTP://PROXY.TEST:3128/', 'proxy.test:3128'],
  ])('%s', (value, name) => {
    expect(routeBy(value).name).toBe(name);
  });
});

describe('entries of NO_PROXY', () => {
  it.each([
    ['*', 'a.test, 127.0.0.1, [::1]', ''],
    ['internal', 'internal, x.internal, x.internal., X.INTERNAL:8443', 'xinternal, internal.test'],
    ['localhost', 'localhost, a.localhost', 'localhost.test'],
    ['corp.test.', 'corp.test, a.corp.test', 'acorp.test'],
    ['.corp.test', 'a.corp.test, corp.test', 'acorp.test'],
    ['*.corp.test', 'a.corp.test, b.a.corp.test, corp.test', 'acorp.test'],
    ['*corp.test', 'corp.test, acorp.test', 'corp.test.example'],
    ['bücher.test', 'a.xn--bcher-kva.test', 'bucher.test'],
    ['corp.test:8443', 'a.corp.test:8443', 'a.corp.test, a.corp.test:84'],
    ['corp.test:443', 'a.corp.test', 'a.corp.test:8443'],
    ['10.1.2.3', '10.1.2.3', '10.1.2.30, 10.1.2.3.test'],
    ['10.1.2.3:8443', '10.1.2.3:8443', '10.1.2.3'],
    ['10.0.0.0/8', '10.0.0.0, 10.255.255.255, [::ffff:10.1.2.3]', '11.0.0.0, 9.255.255.255, 10.test'],
    ['10.1.2.3/20', '10.1.15.255', '10.1.16.0'],
    ['0.0.0.0/0', '1.2.3.4', '[2001:db8::1], a.test'],
    ['127.0.0.1/32', '127.0.0.1', '127.0.0.2'],
    ['fd00::/8', '[fd12::1]', '[fe80::1], 10.1.2.3'],
    ['::1', '[::1]', '[::2], 0.0.0.1'],
    ['[::1]', '[::1]', '[::2]'],
    ['[::1]:8443', '[::1]:8443', '[::1]'],
    ['a.test,\t10.0.0.0/8  .b.test', 'a.test, 10.0.0.1, c.b.test', 'c.test'],
  ])('%s', (value, direct, proxied) => {
    routeBy('http://127.0.0.1:3128');
    vi.stubEnv('NO_PROXY', value);
    const isDirect = (host: string): boolean => proxyFor(`https://${host}/`, process.env) === undefined;
    const hosts = (list: string): string[] => list.split(', ').filter(Boolean);
    expect([...hosts(direct), ...hosts(proxied)].filter(isDirect)).toEqual(hosts(direct));
    expect(proxyChoice(new URL(target), process.env).unread).toEqual([]);
  });

  it.each([
    '127.*',
    '10.*.*.*',
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    'a.test/8',
    '/8',
    'http://a.test',
    'a.test:99999',
    'a.test:b',
    'user@a.test',
    '**',
    '*.*',
    '[::1',
    '[10.0.0.1]',
    'a b'.replace(' ', ';'),
    'fe80::1%eth0',
  ])('%s is read by no rule, and excepts no host', (entry) => {
    routeBy('http://127.0.0.1:3128');
    vi.stubEnv('NO_PROXY', `other.test,${entry}`);
    const choices = ['https://127.0.0.1/', 'https://10.0.0.1/', 'https://a.test/', 'https://[::1]/', 'https://b.test/'].map((url) =>
      proxyChoice(new URL(url), process.env),
    );
    for (const choice of choices) expect(choice).toMatchObject({ variable: 'HTTPS_PROXY', exception: undefined, unread: [entry] });
  });

  it('the lower-case variable comes first, and its entry is named as it was written', () => {
    const env = { https_proxy: 'p.test', NO_PROXY: 'a.test', no_proxy: ' b.test , B.Test:443' };
    expect(proxyChoice(new URL('https://a.test'), env).exception).toBeUndefined();
    expect(proxyChoice(new URL('https://x.b.test'), { ...env, no_proxy: ' , B.Test:443' })).toMatchObject({
      exception: 'B.Test:443',
      exceptions: 'no_proxy',
    });
  });
});
