// Copies the pages of the repository to the folder from which the site is built. Only links change.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { headingsOf, slugOf } from './headings.ts';
import { englishOf, isTranslation, lagOf, translationOf } from './translations.ts';

interface Page {
  /** Its path in the site. */
  readonly path: string;
  readonly text: string;
}

interface FoundPage extends Page {
  /** Its path in the repository. */
  readonly file: string;
}

interface Staged {
  readonly pages: number;
  /** Pages of the documentation that have no translation. */
  readonly untranslated: readonly string[];
}

interface Group {
  readonly text: string;
  readonly items: { text: string; link: string }[];
}

/** Data that a page links to, copied as it is. */
const data = ['docs/evidence.json'];
const reference = 'spec/openapi.yaml';
const index = 'docs/README.md';

/** Paths in the site that differ from those in the repository. */
function pathOf(file: string): string {
  if (isTranslation(file)) return `zh/${pathOf(englishOf(file))}`;
  if (file === 'README.md') return 'index.md';
  return file.replace(/(^|\/)README\.md$/, '$1index.md').replace(/(?<!\.md)$/, '.md');
}

/** The README in each language, and the translations. The other pages are those that these link to, and so on. */
function firstPages(root: string): string[] {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  return ['README.md', ...[...readdirSync(root), ...names].filter(isTranslation).sort()];
}

/** Writes the pages, the data of the sidebar and `llms.txt`. Returns the number of pages. Throws if a link leads to no file. */
export function stage(root: string, into: string): Staged {
  rmSync(into, { recursive: true, force: true });
  const pages = new Map<string, Page>();
  const open: FoundPage[] = [];
  const problems: string[] = [];
  const add = (file: string): Page => {
    const page = pages.get(file) ?? { path: pathOf(file), text: textOf(root, file) };
    if (!pages.has(file)) open.push({ ...page, file });
    pages.set(file, page);
    return page;
  };
  const target = (from: string, link: string): string | undefined => {
    const file = posix.join(dirname(from), link).replace(/\/$/, '');
    if (file === reference) return '/reference.html';
    if (data.includes(file)) return `/${file}`;
    // The link of a translation to its English page leads there.
    const isOwn = isTranslation(from) && file === englishOf(from);
    const found = [...(isTranslation(from) && !isOwn ? [translationOf(file)] : []), file, `${file}/README.md`].find((name) =>
      existsSync(join(root, name)),
    );
    return found === undefined ? undefined : `/${add(found).path}`;
  };
  for (const file of firstPages(root)) add(file);
  for (let page = open.pop(); page; page = open.pop()) {
    const { file, path, text } = page;
    const linked = linksRewritten(text, (link) => {
      const [to = '', anchor] = link.split('#');
      const found = target(file, to);
      if (found === undefined) problems.push(`${file}: ${link} leads to no file`);
      return anchor === undefined ? found : `${found}#${anchor}`;
    });
    write(join(into, path), withLag(root, file, linked));
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const untranslated = [...pages].filter(([file]) => !isTranslation(file) && !(file.endsWith('.md') && existsSync(join(root, translationOf(file)))));
  for (const [, { path, text }] of untranslated) write(join(into, 'zh', path), stub(path, text));
  const sidebarIn = (file: string): Group[] => sidebarOf(textOf(root, file), (link) => target(file, link));
  const sidebar = { root: sidebarIn(index), zh: sidebarIn(translationOf(index)) };
  const headings = [...pages.values()].flatMap(({ text }) => headingsOf(text));
  const anchors = Object.fromEntries(headings.map(({ title }) => [plain(title), slugOf(title)]));
  write(join(into, 'staged.json'), JSON.stringify({ sidebar, anchors }));
  write(
    join(into, 'public/llms.txt'),
    llmsText(textOf(root, index), (link) => target(index, link)),
  );
  for (const file of data) cpSync(join(root, file), join(into, 'public', file));
  return { pages: pages.size, untranslated: untranslated.map(([file]) => file).filter((file) => file.endsWith('.md')) };
}

/** The page that the language menu leads to where there is no translation. */
function stub(path: string, text: string): string {
  return `---\nsearch: false\n---\n\n# ${headingsOf(text)[0]?.title ?? path}\n\n本页还没有中文版：[English](/${path})\n`;
}

/** The text of a page. A program is a page with its code. */
function textOf(root: string, file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  const language = /\.(ts|js|json|yaml)$/.exec(file)?.[1] ?? '';
  return file.endsWith('.md') ? text : `# ${file}\n\n\`\`\`\`${language}\n${text}\n\`\`\`\`\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The text of a heading as the site's renderer sees it. */
function plain(title: string): string {
  return title.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** Replaces the targets of links outside code. */
function linksRewritten(text: string, to: (link: string) => string | undefined): string {
  return text
    .split(/(^```[\s\S]*?^```|^````[\s\S]*?^````)/m)
    .map((part) =>
      part.startsWith('```') ? part : part.replace(/\]\((?!https?:|#|mailto:)([^)\s]+)\)/g, (_, link: string) => `](${to(link) ?? link})`),
    )
    .join('');
}

/** A translation that lags has a line about it in its head. */
function withLag(root: string, file: string, text: string): string {
  const lag = isTranslation(file) ? lagOf(root, file) : undefined;
  return lag === undefined ? text : text.replace(/^(# .*\n)/, `$1\n::: warning\n本页落后于英文版（behind since ${lag}）。\n:::\n`);
}

/** The groups of the index of the documentation. */
function sidebarOf(text: string, target: (link: string) => string | undefined): Group[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const items = lines.flatMap((line) => {
        const [, before = '', links = ''] = /^- ([^[]*)(.*?)(?:\)(?:（英文）)?(?:[:;] |[：；])|\) with |$)/.exec(line) ?? [];
        return [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)?(（英文）)?/g)].map(([, name = '', link = '', mark = '']) => ({
          text: plain(before + name) + mark,
          link: target(link) ?? link,
        }));
      });
      return { text: title, items };
    })
    .filter(({ items }) => items.length > 0);
}

/** The index for language models: each page with a sentence, as the index of the documentation has it. */
function llmsText(text: string, target: (link: string) => string | undefined): string {
  const body = text.split(/^## /m).slice(1).join('## ');
  const linked = linksRewritten(body, (link) => target(link)?.replace(/\.md$/, '.html'));
  return `# modelsvc\n\n> A TypeScript client and command line for the GLM models of Z.ai and BigModel.\n\n## ${linked}`;
}
