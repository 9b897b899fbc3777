/** The form of CHANGELOG.md: Keep a Changelog 1.1, newest release first. */

export interface Release {
  /** `Unreleased`, or a version. */
  readonly name: string;
  /** `2026-05-01`, or `unpublished`. */
  readonly date: string | undefined;
  /** Entries by kind of change, in the order of the file. */
  readonly changes: readonly (readonly [kind: string, entries: readonly string[]])[];
}

const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

export function releasesOf(changelog: string): Release[] {
  return partsOf(changelog, '## ').map(([heading, text]) => {
    const [, name = heading, date] = /^\[?([^\]\s]+)\]?(?: - (\S+))?$/.exec(heading) ?? [];
    return { name, date, changes: partsOf(text, '### ').map(([kind, list]) => [kind, partsOf(list, '- ').map((parts) => parts.join('\n').trim())]) };
  });
}

/** The parts of a text that begin with a line with this mark: the rest of that line, and the lines up to the next. */
function partsOf(text: string, mark: string): [heading: string, text: string][] {
  return `\n${text}`
    .split(`\n${mark}`)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return [heading.trim(), lines.join('\n')];
    });
}

/** Most words of an entry, without the targets of its links. */
const mostWords = 25;

/** Differences of the changelog from its form, and a missing section for `version`. The section `Unreleased` is left out before the first release. */
export function changelogProblems(changelog: string, version: string): string[] {
  const releases = releasesOf(changelog);
  const versions = releases.filter(({ name }) => name !== 'Unreleased');
  const isFirst = versions.length === 1 && versions[0]?.date === 'unpublished';
  return [
    ...(releases[0]?.name === 'Unreleased' || (isFirst && releases.length === 1) ? [] : ['the first section is not Unreleased']),
    ...(versions.some((one) => one.name === version) ? [] : [`no section for version ${version}`]),
    ...versions.flatMap((one, index) => orderProblems(one, versions[index + 1])),
    ...releases.flatMap(changeProblems),
  ];
}

function orderProblems({ name, date }: Release, next: Release | undefined): string[] {
  const isDated = date !== undefined && /^(\d{4}-\d{2}-\d{2}|unpublished)$/.test(date);
  return [
    ...(isDated ? [] : [`${name}: no date; write "## [${name}] - 2026-05-01", or "unpublished" in place of the date`]),
    ...(next === undefined || compareVersions(name, next.name) > 0 ? [] : [`${next.name} comes after ${name}, and is not older`]),
  ];
}

function changeProblems({ name, changes }: Release): string[] {
  return changes.flatMap(([kind, entries], index) => [
    ...(kinds.includes(kind) ? [] : [`${name}: "${kind}" is not one of ${kinds.join(', ')}`]),
    ...(entries.length > 0 ? [] : [`${name}: "${kind}" is empty`]),
    ...entries.flatMap((entry) => entryProblems(entry).map((problem) => `${name}: "${entry.slice(0, 30)}…" ${problem}`)),
    ...(changes.slice(0, index).some(([other]) => kinds.indexOf(other) >= kinds.indexOf(kind)) ? [`${name}: "${kind}" is out of order`] : []),
  ]);
}

function entryProblems(entry: string): string[] {
  const words = entry.replace(/\]\([^)]*\)/g, ']').split(/\s+/).length;
  return [
    ...(words > mostWords ? [`has ${words} words (at most ${mostWords})`] : []),
    ...(/\bbreaking\b/i.test(entry) && !entry.startsWith('**Breaking:** ') ? ['does not begin with **Breaking:**'] : []),
    ...(/\]\([^)]+\)/.test(entry) ? [] : ['has no link']),
  ];
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
