/** The decisions of `npm run release:check`. Each returns its problems; an empty list means ok. */
import { isDeepStrictEqual } from 'node:util';
import { changelogProblems, releasesOf } from './changelog.ts';
import { type Owner, type OwnerFields, ownerFields } from './owner.ts';

export interface Versions {
  readonly manifest: string;
  /** Of `src/generated/version.ts`. */
  readonly source: string;
  /** Tags of the commit. */
  readonly tags: readonly string[];
  readonly changelog: string;
}

/** @param status Output of `git status --porcelain`. */
export function treeProblems(status: string): string[] {
  const files = status.split('\n').filter((line) => line !== '');
  return files.length === 0 ? [] : [`commit or remove these changes: ${files.map((line) => line.slice(3)).join(', ')}`];
}

export function versionProblems({ manifest, source, tags, changelog }: Versions): string[] {
  const release = releasesOf(changelog).find((one) => one.name === manifest);
  return [
    ...(source === manifest ? [] : [`src/generated/version.ts has ${source}, package.json has ${manifest}`]),
    ...(tags.includes(`v${manifest}`) ? [] : [`the commit has no tag v${manifest}`]),
    ...changelogProblems(changelog, manifest).map((problem) => `CHANGELOG.md: ${problem}`),
    ...(release?.date === 'unpublished' ? [`CHANGELOG.md: write the date of ${manifest}`] : []),
  ];
}

/** The chunks of the build, whose names are the bundler's. */
export function isChunk(path: string): boolean {
  return /^dist\/(shared\/|cli\/(?!main\.js|program\.js))/.test(path);
}

/** The files of a package, sorted. The chunks of a folder are one line: their names and number change with the code. */
export function listedFiles(files: readonly string[]): string[] {
  return [...new Set(files.map((path) => (isChunk(path) ? path.replace(/[^/]*?(?=(\.d)?\.\w+$)/, '*') : path)))].sort();
}

/** Differences between the files that npm would publish and the committed list. */
export function fileProblems(published: readonly string[], committed: readonly string[]): string[] {
  const files = listedFiles(published);
  const added = files.filter((path) => !committed.includes(path));
  const lost = committed.filter((path) => !files.includes(path));
  return [
    ...(added.length === 0 ? [] : [`not in test/package/packed-files.txt: ${added.join(', ')}`]),
    ...(lost.length === 0 ? [] : [`missing from the package: ${lost.join(', ')}`]),
  ];
}

/** npm refuses provenance without `repository`, and SECURITY.md sends its readers to the address of `bugs`. */
export function ownerProblems(manifest: OwnerFields, owner: Owner): string[] {
  const placeholders = Object.entries(owner).filter(([, value]) => value.includes('placeholder.invalid'));
  const { homepage, bugs, repository, author } = manifest;
  const fields = Object.entries(ownerFields(owner)).filter(
    ([name, value]) => !isDeepStrictEqual({ homepage, bugs, repository, author }[name as keyof OwnerFields], value),
  );
  return [
    ...placeholders.map(([name]) => `scripts/release/owner.json has a placeholder for ${name}`),
    ...fields.map(([name]) => `package.json has another ${name} than scripts/release/owner.json: run npx tsx scripts/release/owner.ts`),
  ];
}

export function lineOf(check: string, problems: readonly string[]): string {
  return problems.length === 0 ? `ok      ${check}` : `failed  ${check}: ${problems.join('; ')}`;
}
