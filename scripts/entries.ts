/** The entries of package.json that have code or types of their own. */
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** Names of the built files: `index`, `debug` and so on. */
export const entryNames: readonly string[] = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : (/^\.\/dist\/(\w+)\.js$/.exec(target.default)?.slice(1) ?? []),
);

/** The source of each entry, by the name that users import. */
export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  entryNames.map((name) => (name === 'index' ? ['modelsvc', 'src/overlay/index.ts'] : [`modelsvc/${name}`, `src/${name}/index.ts`])),
);
