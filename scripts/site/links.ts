// Links of a built site that lead to no page or to no heading.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

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
