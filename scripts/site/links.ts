// Links of a built site that lead to no page or to no heading.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Content-Security-Policy of each page: a browser loads no part of it from another host. */
export const noOtherHost = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";

/**
 * The reference as a page of the site: with the policy, an icon, a way back, and without the logo of its generator, which is on another host.
 * Its parts are at `#/PART`: the generator's links are to `/PART`, which is not a page.
 */
export function referencePage(html: string, base = '/'): string {
  const head = `<meta http-equiv="Content-Security-Policy" content="${noOtherHost}"><link rel="icon" type="image/svg+xml" href="${base}icon.svg">`;
  const back = `<p style="margin:0;padding:10px 16px;font:16px sans-serif"><a href="${base}">modelsvc: guides and pages</a></p>`;
  return html
    .replace(/ href="\/([^"]*)" data-discover/g, ' href="#/$1" data-discover')
    .replace('<head>', () => `<head>${head}`)
    .replace(/<body[^>]*>/, (body) => body + back)
    .replace(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, 'data:,');
}

/** A line for each page that may load a part from another host. */
export function foreignLoads(dist: string): string[] {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(html|css)$/.test(name));
  return files.flatMap((name) => {
    const text = readFileSync(join(dist, name), 'utf8');
    const loads = [
      ...text.matchAll(/<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)="((?:https?:)?\/\/[^"]+)"|url\(["']?((?:https?:)?\/\/[^)"']+)/g),
    ];
    const open = name.endsWith('.html') && !text.includes(noOtherHost) ? [`${name}: it has no policy against other hosts`] : [];
    return [...open, ...loads.map(([, link, url]) => `${name}: it loads ${link ?? url}`)];
  });
}

/** A line for each link without a target. The site is served at `base`. */
export function brokenLinks(dist: string, base = '/'): string[] {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html') && name !== 'reference.html');
  const pages = new Map(files.map((name) => [name, readFileSync(join(dist, name), 'utf8')]));
  const idsOf = new Map([...pages].map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]));
  const broken = new Set<string>();
  for (const [name, html] of pages) {
    for (const [, link = ''] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = '', anchor = ''] = decodeURI(link).replaceAll('&amp;', '&').split('#');
      const file =
        path === '' ? name : posix.join(path.startsWith(base) ? '.' : posix.dirname(name), path.replace(base, '/').replace(/\/$/, '/index.html'));
      const isThere = (!path.startsWith('/') || path.startsWith(base)) && existsSync(join(dist, file));
      if (!isThere || (anchor !== '' && idsOf.has(file) && !idsOf.get(file)?.has(anchor))) broken.add(`${name}: ${link} leads nowhere`);
    }
  }
  return [...broken].sort();
}
