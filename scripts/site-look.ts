// `npm run test:site`: the built site in a real browser. `--pictures FOLDER` keeps what was seen.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'site/dist');
const widths = [400, 1400];
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** The site as a host of static files serves it. */
async function serve(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = decodeURI(new URL(request.url ?? '/', 'http://site').pathname);
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path);
    const isThere = file.startsWith(dist) && existsSync(file);
    response.writeHead(isThere ? 200 : 404, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    response.end(isThere ? readFileSync(file) : 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

function browserPath(): string | undefined {
  return [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path !== undefined && existsSync(path));
}

/** The pages of the sidebar, in both languages. */
function listed(): string[] {
  const { sidebar } = JSON.parse(readFileSync(join(root, 'site/pages/staged.json'), 'utf8')) as {
    readonly sidebar: Readonly<Record<'root' | 'zh', readonly { readonly items: readonly { readonly link: string }[] }[]>>;
  };
  const links = [...sidebar.root, ...sidebar.zh].flatMap(({ items }) =>
    items.map(({ link }) => link.replace(/\.md$/, '.html')).filter((link) => link !== '/reference.html'),
  );
  return ['/', '/zh/', '/reference.html', ...new Set(links)];
}

async function look(executablePath: string, pictures: string | undefined, words: readonly string[]): Promise<string[]> {
  const site = await serve();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const problems: string[] = [];
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
    page.on(
      'request',
      (request) =>
        void (/^(https?|wss?):/.test(request.url()) && !request.url().startsWith(site.url) && problems.push(`${page.url()} asks ${request.url()}`)),
    );
    page.on('response', (response) => void (response.status() >= 400 && problems.push(`${response.url()}: status ${response.status()}`)));
    const asked = new Set<string>();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of listed()) {
        await page.goto(site.url + path, { waitUntil: 'load' });
        const { overflow, links, program } = await page.evaluate(() => ({
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          links: [...document.querySelectorAll('a[href]')].map((link) => (link as HTMLAnchorElement).href),
          program: document.querySelector('.vp-doc div[class*=language-]')?.getBoundingClientRect().width,
        }));
        if (overflow > 0) problems.push(`${path}: ${overflow} pixels wider than a screen of ${width}`);
        if (/\/guides\//.test(path) && !(program !== undefined && program > 0 && program <= width))
          problems.push(`${path}: no first program at ${width} pixels`);
        for (const link of links) if (link.startsWith(site.url)) asked.add(link.split('#')[0] as string);
        if (pictures !== undefined)
          await page.screenshot({ path: join(pictures, `${path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home'}-${width}.png`) });
      }
    }
    for (const link of asked) if (!(await fetch(link)).ok) problems.push(`${link} is not there`);
    for (const word of words) {
      // A search covers the pages of one language.
      await page.goto(site.url + (/\p{Script=Han}/u.test(word) ? '/zh/' : '/'), { waitUntil: 'load' });
      // The page shows the results of the last search first.
      await page.evaluate(() => sessionStorage.clear());
      // Before its program runs, the page hears no key.
      await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
      await page.keyboard.press('Control+k');
      await page.locator('#localsearch-input').fill(word);
      const results = page.locator('#localsearch-list a.result');
      await results
        .first()
        .waitFor({ timeout: 30_000 })
        .catch(() => problems.push(`a search for ${JSON.stringify(word)} finds no page`));
      const found = await results.evaluateAll((all) => all.slice(0, 3).map((one) => (one as HTMLElement).innerText.replaceAll('\n', ' › ')));
      console.log(`${word}: ${found.join(' | ')}`);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `search-${word.replace(/\W+/g, '-')}.png`) });
    }
    console.log(`${listed().length} pages at ${widths.join(' and ')} pixels, ${asked.size} links, ${problems.length} problems`);
  } finally {
    await browser.close();
    site.close();
  }
  return problems;
}

const { values, positionals } = parseArgs({ options: { pictures: { type: 'string' } }, allowPositionals: true });
const executablePath = browserPath();
if (executablePath === undefined) console.log('Skipped: there is no Chromium. Install it, or set CHROMIUM to its path.');
else {
  if (values.pictures !== undefined) mkdirSync(values.pictures, { recursive: true });
  if (!existsSync(dist)) execFileSync('npx', ['tsx', 'scripts/site.ts'], { cwd: root, stdio: 'inherit' });
  const problems = await look(executablePath, values.pictures, positionals.length > 0 ? positionals : ['effort']);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
