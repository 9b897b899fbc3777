// The changes of a file as a unified diff without the texts of others.
import { formatPatch, structuredPatch } from 'diff';
import { maskedKey } from '../accounts/key.ts';
import { formatNamed } from './formats.ts';
import { maskedText, type OwnValue } from './masked.ts';
import type { FileFormat } from './tool.ts';

/** Characters of a line that a person reads. */
const longest = 160;

/** Lines around a change. */
const context = 2;

export interface Changed {
  readonly path: string;
  readonly format: FileFormat;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Values that this program wrote, now or earlier. */
  readonly own: readonly OwnValue[];
}

/** A unified diff of a file. Hides all texts but those in `own`, and `secrets` in these. */
export async function previewOf({ path, format, own, ...texts }: Changed, secrets: readonly string[]): Promise<string> {
  const { read } = await formatNamed(format);
  const [before, after] = await unfolded(format, [texts.before, texts.after]);
  const isKnown = (value: string): boolean => secrets.some((secret) => formsOf(secret).some((form) => value.includes(form)));
  const linesOf = (text = ''): readonly string[] => maskedText(text, read(text), own, isKnown).split('\n');
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path];
  const patch = structuredPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context });
  const [old, now] = [linesOf(before), linesOf(after)];
  for (const hunk of patch.hunks) {
    let [oldLine, newLine] = [hunk.oldStart - 1, hunk.newStart - 1];
    hunk.lines = hunk.lines.map((line) => {
      const sign = line.charAt(0);
      if (sign === '-') return sign + withoutSecrets(old[oldLine++], secrets);
      if (sign === '\\') return line;
      if (sign === ' ') oldLine++;
      return sign + withoutSecrets(now[newLine++], secrets);
    });
  }
  return formatPatch(patch)
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('====') && !line.startsWith('Index: '))
    .map((line) => line.replace(/\t$/, ''))
    .join('\n');
}

/** Both texts with a line for each field, if one has a line that is too long to read. Files of JSON alone come in one line. */
async function unfolded(format: FileFormat, texts: readonly (string | undefined)[]): Promise<readonly (string | undefined)[]> {
  if (!format.startsWith('json') || !texts.some((text = '') => text.split('\n').some((line) => line.length > longest))) return texts;
  const { spread } = await import('./edits/json.ts');
  return texts.map((text) => text && spread(text));
}

const vendorKey = /\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}/g;

/** Hides the given secrets, and texts with the form of a key. */
function withoutSecrets(line = '…', secrets: readonly string[]): string {
  let text = line;
  for (const secret of secrets) for (const form of formsOf(secret)) text = text.replaceAll(form, () => maskedKey(secret));
  return text.replace(vendorKey, '…');
}

/** The forms of a text in files: unchanged, with escapes of a shell, and each of them in double and single quotes. The longest first. */
function formsOf(secret: string): string[] {
  const forms = [secret, secret.replace(/[\\$`"]/g, '\\$&')].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), one.replaceAll("'", "''")]);
  return forms.filter((form) => form !== '').sort((a, b) => b.length - a.length);
}
