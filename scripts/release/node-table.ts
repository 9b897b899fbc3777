/** The table of tested Node versions in `docs/versions.md`. */
import { tableRow } from '../generate/pages/table.ts';
import type { Manifest } from './installed.ts';

/** The oldest version that `engines` of package.json allows, as `20.19.0`. */
export function floorOf({ engines }: Pick<Manifest, 'engines'>): string {
  const [, version] = /^>=(\d+(?:\.\d+){0,2})$/.exec(engines.node) ?? [];
  if (version === undefined) throw new Error(`package.json: engines.node is ${engines.node}; write it as >=20.19`);
  return [...version.split('.'), '0', '0'].slice(0, 3).join('.');
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  return [['Node', 'by `import`', 'by `require`'], ['---', '---', '---'], ...rows].map((cells) => tableRow(...cells)).join('\n');
}
