/** Next with both bundlers: the checks run in route handlers of both runtimes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { App, Row, Runtime } from './runtime.ts';
import { listen } from './service.ts';
import { askedFor } from './workerd.ts';

const route = (runtime: string): string => `import { run } from '../../../main.mjs';
export const runtime = '${runtime}';
export const dynamic = 'force-dynamic';
export const POST = async (request) => Response.json(await run(await request.json()));
`;

const common: Readonly<Record<string, string>> = {
  'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;\n',
  'app/page.js': 'export default () => <p>checks</p>;\n',
  'app/api/node/route.js': route('nodejs'),
  'next.config.mjs': 'export default { turbopack: { root: import.meta.dirname } };\n',
};

/** With webpack, Next 16 cannot build a route handler for the edge runtime, not even an empty one. An API route has the same runtime. */
const edge: Readonly<Record<'webpack' | 'turbopack', Readonly<Record<string, string>>>> = {
  webpack: {
    'pages/api/edge.js': `import { run } from '../../main.mjs';
export const config = { runtime: 'edge' };
export default async (request) => Response.json(await run(await request.json()));
`,
  },
  turbopack: { 'app/api/edge/route.js': route('edge') },
};

function nextWith(bundler: 'webpack' | 'turbopack'): Runtime {
  return {
    name: `next-${bundler}`,
    packages: ['next@16', 'react@19', 'react-dom@19'],
    async *run(app) {
      for (const name of ['.next', 'app', 'pages']) await rm(join(app.folder, name), { recursive: true, force: true });
      for (const [name, text] of Object.entries({ ...common, ...edge[bundler] })) await app.write(name, text);
      const binary = join(app.folder, 'node_modules/.bin/next');
      const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' } as const;
      const { stdout, stderr } = await promisify(execFile)(binary, ['build', `--${bundler}`], { cwd: app.folder, env, timeout: 300_000 });
      // It also warns about `process.versions` in openapi-fetch, for the edge runtime.
      if (/\n\n\.\/node_modules\/modelsvc/.test(stdout + stderr)) throw new Error(`Next warned: ${stdout}${stderr}`);
      yield* served(app, bundler, binary, env);
    },
  };
}

async function* served(app: App, bundler: string, binary: string, env: NodeJS.ProcessEnv): AsyncGenerator<Row> {
  const port = await freePort();
  const child = spawn(binary, ['start', '-p', String(port), '-H', '127.0.0.1'], { cwd: app.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await ready(child);
    for (const path of ['node', 'edge']) {
      const results = await askedFor(`http://127.0.0.1:${port}/api/${path}`, app.service.places);
      yield { name: `Next, ${bundler}, ${path} runtime`, version: await app.version('next'), results };
    }
  } finally {
    child.kill();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server);
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', () => reject(new Error('next start ended')));
    let text = '';
    child.stdout?.on('data', (block) => {
      text += String(block);
      if (text.includes('Ready')) resolve();
    });
  });
}

export const next: readonly Runtime[] = [nextWith('webpack'), nextWith('turbopack')];
