// The pages for the site, from a small repository. The generator itself runs in `npm run test:site`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { brokenLinks, foreignLoads, noOtherHost, referencePage } from '../../scripts/site/links.ts';
import { searchOptions } from '../../scripts/site/search.ts';
import { stage } from '../../scripts/site/stage.ts';
import { markOf } from '../../scripts/site/translations.ts';

type Files = Readonly<Record<string, string>>;

const english = '# Chat\n\nSee [errors](errors.md#by-code) and [a program](../../examples/chat.ts).\n';
const head = (page: string, text: string): string => `<!-- follows ${page} of 2026-11-28, ${markOf(text)} -->`;
const index = '# Pages\n\n## Answers\n\n- [Chat](guides/chat.md): questions\n- Moving from [`x`](guides/errors.md) and [y](guides/chat.md)\n';
const files: Files = {
  'README.md': '# modelsvc\n\n[Pages](docs/README.md), [the document](spec/openapi.yaml)\n',
  'README.zh-CN.md': `# modelsvc\n\n${head('README.md', '# modelsvc\n\n[Pages](docs/README.md), [the document](spec/openapi.yaml)\n')}\n\n[页面](docs/README.md)\n`,
  'docs/README.md': index,
  'docs/README.zh-CN.md': `# 文档\n\n${head('README.md', index)}\n\n## 回答\n\n- [对话](guides/chat.md)：问题\n`,
  'docs/evidence.json': '{}',
  'docs/guides/chat.md': english,
  'docs/guides/chat.zh-CN.md': `# 对话\n\n${head('chat.md', english)}\n\n[English](chat.md)，见 [错误](errors.md#by-code)、[页面](../README.md)。\n`,
  'docs/guides/errors.md': '# Errors\n\n## By code\n\n```md\n[not a link](nowhere.md)\n```\n',
  'docs/internals/secret.md': '# For contributors\n',
  'examples/chat.ts': "console.log('[not](a-link)');\n",
};

function folderWith(changes: Files = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'modelsvc-site-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries({ ...files, ...changes })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    if (text !== '') writeFileSync(join(root, name), text);
  }
  return root;
}

function staged(changes?: Files): { readonly untranslated: readonly string[]; readonly pages: number; page(name: string): string } {
  const root = folderWith(changes);
  const facts = stage(root, join(root, 'out'));
  return { ...facts, page: (name) => readFileSync(join(root, 'out', name), 'utf8') };
}

test('pages that are linked to, programs as pages, and both languages', () => {
  const { pages, untranslated, page } = staged();
  expect(page('index.md')).toContain('[Pages](/docs/index.md), [the document](/reference.html)');
  expect(page('docs/guides/chat.md')).toContain('[errors](/docs/guides/errors.md#by-code) and [a program](/examples/chat.ts.md)');
  expect(page('docs/guides/errors.md')).toContain('[not a link](nowhere.md)');
  expect(page('examples/chat.ts.md')).toContain("```ts\nconsole.log('[not](a-link)');");
  expect(page('zh/docs/guides/chat.md')).toContain(
    '[English](/docs/guides/chat.md)，见 [错误](/docs/guides/errors.md#by-code)、[页面](/zh/docs/index.md)',
  );
  expect(page('zh/docs/guides/errors.md')).toContain('[English](/docs/guides/errors.md)');
  expect([pages, untranslated]).toEqual([8, ['docs/guides/errors.md']]);
  expect(() => page('docs/internals/secret.md')).toThrow('ENOENT');
});

test('the sidebar, the anchors and llms.txt follow from the index', () => {
  const { page } = staged();
  const { sidebar, anchors } = JSON.parse(page('staged.json')) as { readonly sidebar: unknown; readonly anchors: object };
  expect(sidebar).toEqual({
    root: [
      {
        text: 'Answers',
        items: [
          { text: 'Chat', link: '/docs/guides/chat.md' },
          { text: 'Moving from x', link: '/docs/guides/errors.md' },
          { text: 'Moving from y', link: '/docs/guides/chat.md' },
        ],
      },
    ],
    zh: [{ text: '回答', items: [{ text: '对话', link: '/zh/docs/guides/chat.md' }] }],
  });
  expect(anchors).toMatchObject({ 'By code': 'by-code' });
  expect(page('public/llms.txt')).toContain('- [Chat](/docs/guides/chat.html): questions');
});

test('a translation that lags has a line in its head, and does not fail', () => {
  expect(staged().page('zh/docs/guides/chat.md')).not.toContain('behind since');
  expect(staged({ 'docs/guides/chat.md': `${english}More.\n` }).page('zh/docs/guides/chat.md')).toMatch(
    /^# 对话\n\n::: warning\n.*behind since 2026-11-28/,
  );
});

test.each([
  ['a link without a file', { 'docs/guides/errors.md': '# Errors\n\n[gone](gone.md#x)\n' }, 'docs/guides/errors.md: gone.md#x leads to no file'],
  [
    'a page that was removed',
    { 'docs/guides/old.zh-CN.md': `# 旧\n\n${head('old.md', '')}\n` },
    'docs/guides/old.zh-CN.md translates docs/guides/old.md, which does not exist',
  ],
  ['a translation without its date', { 'docs/guides/chat.zh-CN.md': '# 对话\n' }, 'docs/guides/chat.zh-CN.md has no line'],
])('%s is named', (_name, changes, words) => {
  expect(() => staged(changes)).toThrow(words);
});

test('links of the built site that lead to no page or heading are named', () => {
  const dist = folderWith({
    'index.html':
      '<h2 id="a">A</h2><a href="#a">1</a><a href="#b">2</a><a class="x" href="/docs/chat.html#c">3</a><a href="https://z.ai">4</a><a href="/gone.html">5</a>',
    'docs/chat.html': '<h1 id="chat"></h1><a href="../index.html#a">6</a><a href="/docs/">7</a>',
  });
  expect(brokenLinks(dist)).toEqual([
    'docs/chat.html: /docs/ leads nowhere',
    'index.html: #b leads nowhere',
    'index.html: /docs/chat.html#c leads nowhere',
    'index.html: /gone.html leads nowhere',
  ]);
});

test('a site may be served below a path', () => {
  const dist = folderWith({
    'index.html': '<a href="/modelsvc/docs/chat.html">1</a><a href="/docs/chat.html">2</a>',
    'docs/chat.html': '<a href="/modelsvc/">3</a>',
  });
  expect(brokenLinks(dist, '/modelsvc/')).toEqual(['index.html: /docs/chat.html leads nowhere']);
});

test('a page that loads from another host, or has no policy, is named', () => {
  const root = folderWith();
  const page = `<head><meta content="${noOtherHost}"></head><a href="https://example.com">a link loads nothing</a>`;
  const dist = join(root, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'good.html'), page);
  expect(foreignLoads(dist)).toEqual([]);
  writeFileSync(join(dist, 'bad.html'), '<img alt="" src="https://cdn.example/logo.svg">');
  writeFileSync(join(dist, 'bad.css'), "@font-face { src: url('//fonts.example/a.woff2') }");
  expect(foreignLoads(dist).sort()).toEqual([
    'bad.css: it loads //fonts.example/a.woff2',
    'bad.html: it has no policy against other hosts',
    'bad.html: it loads https://cdn.example/logo.svg',
  ]);
});

test('the reference has a way back, an icon, the policy, and no logo of another host', () => {
  const html = referencePage(
    '<html><head></head><body class="x"><a href="/chat" data-discover="true">chat</a><script>src="https://cdn.redoc.ly/redoc/logo-mini.svg"</script></body></html>',
    '/sub/',
  );
  expect(html).toContain(noOtherHost);
  expect(html).toMatch(/<body class="x"><p [^>]+><a href="\/sub\/">/);
  expect(html).toContain('href="/sub/icon.svg"');
  expect(html).toContain('<a href="#/chat"');
  expect(html).not.toContain('redoc.ly');
});

test('a search ranks guides before references, programs and the changelog', () => {
  const { boostDocument, tokenize } = searchOptions;
  const ranks = [
    '/docs/guides/chat.html',
    '/zh/docs/guides/chat.html',
    '/docs/guides/messages.html#images',
    '/docs/versions.html',
    '/CHANGELOG.html',
  ];
  expect(ranks.map(boostDocument)).toEqual([4, 4, 1, 0.3, 0.3]);
  expect([tokenize('Function calling'), tokenize('模型 API'), tokenize('next.js')]).toEqual([['tools'], ['模型', 'api'], ['next.js']]);
});
