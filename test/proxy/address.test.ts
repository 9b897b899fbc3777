import { describe, expect, it, vi } from 'vitest';
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
    expect(() => proxyFor(target)).toThrow(/environment variable all_proxy /);
    vi.stubEnv('https_proxy', 'quic://x');
    expect(() => proxyFor(target)).toThrow(/environment variable https_proxy /);
    expect(() => proxyFor('http://127.0.0.1/')).toThrow(/environment variable all_proxy /);
  });

  it('gives one route per proxy and protocol, and none without a proxy', () => {
    const route = routeBy('http://127.0.0.1:3128');
    expect(routeBy('http://127.0.0.1:3128', 'https://other.test/path')).toBe(route);
    expect(routeBy('http://127.0.0.1:3128', 'http://other.test/')).not.toBe(route);
    vi.stubEnv('NO_PROXY', '.test,[::1]');
    expect(proxyFor('https://other.test/')).toBeUndefined();
    expect(proxyFor('https://[::1]:8080/')).toBeUndefined();
    expect(proxyFor(target)).toBe(route);
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
