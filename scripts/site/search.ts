// The search of the site: its words, the order of its results, and a check that the guide of a word comes first.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Result {
  readonly id: string;
}

interface Index {
  search(words: string, options: object): readonly Result[];
}

/** Words of a text. Chinese has no spaces between them. The page gets the text of this function, so it refers to no other name. */
export function tokenize(text: string): string[] {
  const words = new Intl.Segmenter('zh', { granularity: 'word' }).segment(text.toLowerCase());
  return [...words].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

/** Options of a search. The page gets the text of each function. */
export const searchOptions = {
  combineWith: 'AND',
  prefix: true,
  fuzzy: (term: string): number | false => (term.length > 5 ? 0.2 : false),
  boost: { title: 6, titles: 3, text: 1 },
  /** Words of a search. Other names of a thing become the one of the pages. */
  tokenize: (text: string): string[] => {
    const meant = text.toLowerCase().replace(/function[- ]?call(s|ing)?|tool[- ]?call(s|ing)/g, 'tools');
    const words = new Intl.Segmenter('zh', { granularity: 'word' }).segment(meant);
    return [...words].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  },
  /** Guides come first, before references, programs and the changelog. A guide for one surface, one other client or coding tools comes after those for all. */
  boostDocument: (id: string): number => {
    if (/\/guides\/(messages|responses|migrating-)/.test(id)) return 1;
    if (/\/docs\/(cli|hosts|compared|runtimes)\.|\/coding-tools\./.test(id)) return 2;
    if (/\/guides\//.test(id)) return 4;
    return /CHANGELOG|LICENSE|\/(api|cli-reference|evidence|versions)\.|\/examples\/|\/skills\//.test(id) ? 0.3 : 1;
  },
} as const;

/** Searches of readers, and the pages of which one is to be the first result. */
export const searches: readonly (readonly [words: string, pages: RegExp])[] = [
  ['next.js', /guides\/(configuration|platforms|chat-server)\./],
  ['api key', /docs\/hosts\.|guides\/(configuration|hosts)/],
  ['function calling', /guides\/tools\./],
  ['image', /guides\/(chat|files-and-jobs|speech-and-pictures)\./],
  ['timeout', /guides\/(configuration|limits|errors|streaming)\./],
  ['cancel', /guides\/(configuration|limits|errors|streaming|tools)\./],
  ['retry', /guides\/errors\./],
  ['rate limit', /guides\/(concurrency|errors|error-codes|limits)\./],
  ['stream', /guides\/streaming\./],
  ['json schema', /guides\/(structured-output|tools)\./],
  ['zod', /guides\/(structured-output|tools)\./],
  ['embeddings', /guides\/search\./],
  ['batch', /guides\/batches\./],
  ['mock', /guides\/testing\./],
  ['proxy', /guides\/(configuration|hosts)/],
  ['claude code', /guides\/coding-tools\./],
  ['langchain', /guides\/frameworks\./],
  ['cost', /guides\/(configuration|costs)\./],
  ['upload', /guides\/files-and-jobs\./],
  ['openai', /guides\/(adapter|frameworks|migrating-from-openai)\./],
];

/** A line for each search whose first result is another page than a reader wants. `site` is the folder of the site, with its packages. */
export async function searchProblems(site: string): Promise<string[]> {
  const load = async (path: string): Promise<unknown> => ((await import(pathToFileURL(path).href)) as { readonly default: unknown }).default;
  const chunks = join(site, 'dist/assets/chunks');
  const name = readdirSync(chunks).find((one) => one.startsWith('@localSearchIndexroot.'));
  if (name === undefined) return ['the search has no index'];
  const engine = (await load(join(site, 'node_modules/minisearch/dist/es/index.js'))) as { loadJSON(json: unknown, options: object): Index };
  const index = engine.loadJSON(await load(join(chunks, name)), { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'], tokenize });
  return searches.flatMap(([words, pages]) => {
    const [first] = index.search(words, searchOptions);
    return first && pages.test(first.id) ? [] : [`a search for ${words} leads to ${first?.id ?? 'no page'}, not to ${pages.source}`];
  });
}
