import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BundledPackage, bundledPackages, noticesOf, packageOf } from '../../scripts/notices.ts';
import { root, textOf } from '../docs/snippets.ts';

describe('THIRD-PARTY-NOTICES', () => {
  let packages: BundledPackage[];
  beforeAll(async () => {
    packages = await bundledPackages();
  });

  it('is the one of the build', () => {
    expect(textOf('THIRD-PARTY-NOTICES')).toBe(noticesOf(packages));
  });

  it('has each bundled package with its license text', () => {
    const notices = textOf('THIRD-PARTY-NOTICES');
    expect(packages.map(({ name, license, files }) => [name, license, files])).toEqual([['proxy-from-env', 'MIT', ['dist/proxy.js']]]);
    for (const { name, version } of packages) {
      expect(notices).toContain(`${name} ${version}`);
      expect(notices).toContain(readFileSync(`${root}node_modules/${name}/LICENSE`, 'utf8').trim());
    }
  });

  it.each([
    ['/work/node_modules/ms/index.js', { folder: '/work/node_modules/ms', name: 'ms' }],
    ['/work/node_modules/@a/b/dist/c.js', { folder: '/work/node_modules/@a/b', name: '@a/b' }],
    ['/work/node_modules/ms/node_modules/deep/x.js', { folder: '/work/node_modules/ms/node_modules/deep', name: 'deep' }],
    ['C:\\work\\node_modules\\ms\\index.js', { folder: 'C:/work/node_modules/ms', name: 'ms' }],
    ['/work/src/proxy/index.ts', undefined],
  ])('the package of %s', (module, expected) => {
    expect(packageOf(module)).toEqual(expected);
  });
});
