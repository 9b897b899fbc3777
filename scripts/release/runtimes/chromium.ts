/** Headless Chromium, on a page built by Vite. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Places, Result } from '../../../test/runtime/checks/index.ts';
import type { Runtime } from './runtime.ts';
import { listen, passOn } from './service.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The part of playwright-core's interface that is used; the package is installed in the app. */
interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> };
}
interface Browser {
  version(): string;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Page {
  on(event: 'pageerror', listener: (error: Error) => void): void;
  goto(url: string): Promise<unknown>;
  evaluate(program: string): Promise<unknown>;
}

const html = `<!doctype html><title>checks</title>
<script type="module">import { run } from './main.mjs'; globalThis.run = run;</script>`;

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];

export const chromium: Runtime = {
  name: 'chromium',
  packages: ['vite@8', 'playwright-core@1'],
  async *run({ folder, write, version, service }) {
    const name = `Chromium, Vite ${await version('vite')}`;
    if (!existsSync(executablePath)) return yield { name, version: '', results: 'set CHROMIUM to the path of a Chromium' };
    await write('index.html', html);
    const vite = await promisify(execFile)(join(folder, 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn'], { cwd: folder });
    if (vite.stdout + vite.stderr !== '') throw new Error(`Vite warned: ${vite.stdout}${vite.stderr}`);
    const { chromium: launcher } = createRequire(join(folder, 'main.mjs'))('playwright-core') as Playwright;
    const browser = await launcher.launch({ executablePath, args });
    const site = createServer((incoming, outgoing) => void serve(join(folder, 'dist'), service.places.url, incoming, outgoing));
    try {
      await listen(site);
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const page = await browser.newPage();
      await page.goto(url);
      const results = async (places: Places): Promise<Result[]> => (await page.evaluate(`run(${JSON.stringify(places)})`)) as Result[];
      yield { name, version: browser.version(), results: await results({ ...service.places, url }), notApplicable };
      // The fake does not allow other origins.
      yield {
        name: `${name}, CORS refusal`,
        version: browser.version(),
        results: await results({ ...service.places, url, refused: service.places.url }),
        notApplicable,
      };
    } finally {
      await browser.close();
      await closed(site);
    }
  },
};

const notApplicable = { 'the User-Agent is sent': 'Chromium sends its own' };

/** Serves the page, and passes other requests on to the fake, so that both have one origin. */
async function serve(folder: string, target: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const path = incoming.url === '/' ? '/index.html' : (incoming.url ?? '');
  if (path === '/index.html' || path.startsWith('/assets/')) {
    outgoing.setHeader('content-type', path.endsWith('.html') ? 'text/html' : 'text/javascript');
    outgoing.end(await readFile(join(folder, path)));
    return;
  }
  incoming.pipe(passOn(target, incoming, outgoing));
}

function closed(site: Server): Promise<void> {
  site.closeAllConnections();
  return new Promise((resolve) => site.close(() => resolve()));
}
