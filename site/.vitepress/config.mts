// The site of `npm run site`. Pages, titles and the sidebar come from `scripts/site/stage.ts`, so that this file names none.
import { readFileSync } from 'node:fs';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { noOtherHost } from '../../scripts/site/links.ts';
import { searchOptions, tokenize } from '../../scripts/site/search.ts';
import { withPictures } from './pictures.ts';

interface Group {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

interface Staged {
  readonly sidebar: { readonly root: Group[]; readonly zh: Group[] };
  readonly anchors: Readonly<Record<string, string>>;
}

const { sidebar, anchors } = JSON.parse(readFileSync(new URL('../pages/staged.json', import.meta.url), 'utf8')) as Staged;

const chinese = {
  outline: { level: [2, 3], label: '本页目录' },
  docFooter: { prev: '上一页', next: '下一页' },
  returnToTopLabel: '回到顶部',
  sidebarMenuLabel: '菜单',
  darkModeSwitchLabel: '外观',
  langMenuLabel: '语言',
} satisfies DefaultTheme.Config;

const chineseSearch = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: { noResultsText: '没有结果', resetButtonTitle: '清除', footer: { selectText: '选择', navigateText: '移动', closeText: '关闭' } },
} satisfies DefaultTheme.LocalSearchOptions['translations'];

const base = process.env['SITE_BASE'] ?? '/';

export default defineConfig({
  title: 'modelsvc',
  description: 'A TypeScript client and command line for the GLM models of Z.ai and BigModel',
  srcDir: 'pages',
  outDir: 'dist',
  base,
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: noOtherHost }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
  ],
  cleanUrls: false,
  lastUpdated: false,
  // The reference of the document is a page of its own, in public/.
  ignoreDeadLinks: [/reference$/],
  locales: { root: { label: 'English', lang: 'en' }, zh: { label: '简体中文', lang: 'zh-CN', themeConfig: chinese } },
  // The anchors of the repository host: links in the pages are written for them.
  markdown: { anchor: { slugify: (title: string) => anchors[title] ?? title }, config: withPictures },
  themeConfig: {
    sidebar: { '/': sidebar.root, '/zh/': sidebar.zh },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { options: { tokenize }, searchOptions }, locales: { zh: { translations: chineseSearch } } },
    },
  },
});
