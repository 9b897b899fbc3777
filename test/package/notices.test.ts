import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BundledPackage, bundledPackages, packageOf } from '../../scripts/notices.ts';
import { root, textOf } from '../docs/snippets.ts';

describe('THIRD-PARTY-NOTICES', () => {
  let packages: BundledPackage[];
  beforeAll(async () => {
    packages = await bundledPackages();
  });

  it('has each package in the files of dist with its license text', () => {
    const files = readdirSync(`${root}dist`, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|d\.ts)$/.test(file));
    // The bundler's marks, one before each module.
    const marks = files.flatMap((file) => [...textOf(`dist/${file}`).matchAll(/^\/\/#region (node_modules\/.+)$/gm)]);
    const names = [...new Set(marks.map(([, module = '']) => packageOf(`/${module}`)?.name ?? ''))];
    // The program is minified and has no marks: of its packages only the bundler itself has a list.
    const listed = packages.filter(({ files }) => files.some((file) => !file.startsWith('dist/cli/'))).map((one) => one.name);
    expect(listed).toEqual(names.sort());
    expect(packages).not.toEqual([]);
    for (const { name } of packages) {
      const file = readdirSync(`${root}node_modules/${name}`).find((one) => /^licen[cs]e/i.test(one));
      expect(textOf('THIRD-PARTY-NOTICES')).toContain(textOf(`node_modules/${name}/${file}`).trim());
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
