// Translations of pages: `X.zh-CN.md` next to `X.md`, with the text that it follows in a comment of its head.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const suffix = '.zh-CN.md';

export function isTranslation(file: string): boolean {
  return file.endsWith(suffix);
}

export function englishOf(file: string): string {
  return `${file.slice(0, -suffix.length)}.md`;
}

export function translationOf(file: string): string {
  return file.replace(/\.md$/, suffix);
}

/** The first eight digits of the hash of a text. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** `<!-- follows chat.md of 2026-11-28, 1a2b3c4d -->`: the date and the mark of the English text. */
export function followed(text: string): { readonly page: string; readonly date: string; readonly mark: string } | undefined {
  const [, page, date, mark] = /^<!-- follows (\S+) of (\d{4}-\d\d-\d\d), ([0-9a-f]{8}) -->$/m.exec(text) ?? [];
  return page !== undefined && date !== undefined && mark !== undefined ? { page, date, mark } : undefined;
}

/** The day of the English text that the translation does not follow yet; undefined if it follows the present one. Throws if there is no English page. */
export function lagOf(root: string, file: string): string | undefined {
  const english = join(root, englishOf(file));
  if (!existsSync(english)) throw new Error(`${file} translates ${englishOf(file)}, which does not exist`);
  const known = followed(readFileSync(join(root, file), 'utf8'));
  if (!known) throw new Error(`${file} has no line "<!-- follows … of DATE, HASH -->"`);
  if (known.mark === markOf(readFileSync(english, 'utf8'))) return undefined;
  return changedOn(root, englishOf(file)) ?? known.date;
}

/** The day of the last commit of a file; undefined without a history. */
function changedOn(root: string, file: string): string | undefined {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%cs', '--', file], { cwd: root, encoding: 'utf8' });
  return stdout.trim() || undefined;
}
