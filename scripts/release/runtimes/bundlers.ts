/** Bundles for Node, as ESM and as CommonJS, each run without a proxy and through one. A bundler that warns fails. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import type { Result } from '../../../test/runtime/checks/index.ts';
import { type ConnectProxy, startConnectProxy } from '../../../test/support/connect-proxy.ts';
import type { App, Row, Runtime } from './runtime.ts';

export type Format = 'esm' | 'cjs';

/** Writes `outfile` from `cli.mjs` of the folder. Returns the warnings. */
type Bundle = (folder: string, format: Format, outfile: string) => Promise<readonly string[]>;

/** Bundles the ES module without the conditions of Node, and the CommonJS module with them. */
const esbuildFor: Bundle = async (folder, format, outfile) => {
  const platform: BuildOptions = format === 'esm' ? { platform: 'neutral', mainFields: ['module', 'main'] } : { platform: 'node' };
  const { warnings } = await build({ entryPoints: [join(folder, 'cli.mjs')], bundle: true, format, outfile, logLevel: 'silent', ...platform });
  return warnings.map(({ text }) => text);
};

/** The part of webpack's interface that is used; the package is installed in the app. */
type Webpack = (
  options: object,
  done: (error: Error | null, stats?: { toJson(options: object): Record<'errors' | 'warnings', { message: string }[]> }) => void,
) => void;

const webpackFor: Bundle = async (folder, format, outfile) => {
  const webpack = createRequire(join(folder, 'cli.mjs'))('webpack') as Webpack;
  const isModule = format === 'esm';
  const options = {
    context: folder,
    entry: './cli.mjs',
    mode: 'production',
    target: 'node20',
    ...(isModule ? { experiments: { outputModule: true } } : {}),
    output: { path: join(outfile, '..'), filename: outfile.split('/').at(-1), ...(isModule ? { module: true, chunkFormat: 'module' } : {}) },
  };
  return new Promise((resolve, reject) =>
    webpack(options, (error, stats) => {
      if (error || !stats) return reject(error);
      const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
      resolve([...errors, ...warnings].map(({ message }) => message));
    }),
  );
};

interface Rollup {
  rollup(options: object): Promise<{ write(options: object): Promise<unknown>; close(): Promise<void> }>;
}

const rollupFor: Bundle = async (folder, format, outfile) => {
  const load = createRequire(join(folder, 'cli.mjs'));
  const { rollup } = load('rollup') as Rollup;
  const resolve = load('@rollup/plugin-node-resolve') as () => unknown;
  const warnings: string[] = [];
  const bundle = await rollup({
    input: join(folder, 'cli.mjs'),
    plugins: [resolve()],
    onwarn: ({ message }: { message: string }) => warnings.push(message),
  });
  await bundle.write({ file: outfile, format, inlineDynamicImports: true });
  await bundle.close();
  return warnings;
};

function bundler(name: string, packages: readonly string[], versionOf: (app: App) => Promise<string>, bundle: Bundle): Runtime {
  return {
    name,
    packages,
    async *run(app) {
      const version = await versionOf(app);
      for (const format of ['esm', 'cjs'] as const)
        yield* bundledRows(app, `${name}, ${format === 'esm' ? 'ESM' : 'CommonJS'}`, version, format, bundle);
    },
  };
}

async function* bundledRows(app: App, name: string, version: string, format: Format, bundle: Bundle): AsyncGenerator<Row> {
  const outfile = join(app.folder, `out/${format}/cli.${format === 'esm' ? 'mjs' : 'cjs'}`);
  const warnings = await bundle(app.folder, format, outfile);
  if (warnings.length > 0) throw new Error(`${name} warned: ${warnings.join('\n')}`);
  yield { name, version, results: await app.results(process.execPath, [outfile], noProxy) };
  const proxy = await startConnectProxy();
  try {
    yield { name: `${name}, HTTP_PROXY`, version, results: await throughProxy(app, proxy, outfile) };
  } finally {
    await proxy.close();
  }
}

const noProxy = { HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: '' };

/** The results with a proxy for all requests except those to the port that refuses. Throws if requests did not use it. */
async function throughProxy({ results, service }: App, proxy: ConnectProxy, outfile: string): Promise<Result[]> {
  const refused = new URL(service.places.refused).host;
  const list = await results(process.execPath, [outfile], { ...noProxy, HTTP_PROXY: proxy.url, NO_PROXY: refused });
  const { length } = proxy.requests.filter(({ target }) => target.startsWith(service.places.url));
  if (length < 20) throw new Error(`only ${length} requests went through the proxy`);
  return list;
}

export const bundlers: readonly Runtime[] = [
  bundler('esbuild', [], async () => (await import('esbuild')).version, esbuildFor),
  bundler('webpack', ['webpack@5'], ({ version }) => version('webpack'), webpackFor),
  bundler('rollup', ['rollup@4', '@rollup/plugin-node-resolve@16'], ({ version }) => version('rollup'), rollupFor),
];
