// The changes of a file as a unified diff without secrets.
import { formatPatch, structuredPatch } from 'diff';
import { maskedKey } from '../accounts/key.ts';

/** Lines around a change. */
const context = 2;

/** A unified diff of a file. Hides `secrets`, and values whose name suggests a key. */
export function previewOf(path: string, before: string | undefined, after: string | undefined, secrets: readonly string[]): string {
  const from = before === undefined ? '/dev/null' : path;
  const to = after === undefined ? '/dev/null' : path;
  const patch = structuredPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context });
  const lines = formatPatch(patch)
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('====') && !line.startsWith('Index: '));
  return lines.map((line) => withoutSecrets(line.replace(/\t$/, ''), secrets)).join('\n');
}

const named =
  /((?:["']?)[\w.-]*(?:api[-_]?key|token|secret|password|authorization|credential)[\w.-]*["']?\s*[:=]\s*)(["']?)((?:Bearer )?)([^"'\s,}#\]]+)/gi;
const harmless = /^(?:[\d._]+|true|false|null|[$!{[].*)$/;
const vendorKey = /\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}/g;

/** Hides the given secrets, values of names such as `apiKey` and `token`, and texts with the form of a key. */
export function withoutSecrets(line: string, secrets: readonly string[]): string {
  let text = line;
  for (const secret of secrets) for (const form of formsOf(secret)) text = text.replaceAll(form, () => maskedKey(secret));
  text = text.replace(named, (whole, name: string, quote: string, scheme: string, value: string) =>
    harmless.test(value) || value.includes('…') || /helper/i.test(name) ? whole : `${name}${quote}${scheme}…`,
  );
  return text.replace(vendorKey, '…');
}

/** The forms of a text in files: unchanged, with escapes of a shell, and each of them in double and single quotes. The longest first. */
function formsOf(secret: string): string[] {
  const forms = [secret, secret.replace(/[\\$`"]/g, '\\$&')].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), one.replaceAll("'", "''")]);
  return forms.filter((form) => form !== '').sort((a, b) => b.length - a.length);
}
