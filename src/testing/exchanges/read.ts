import { validated } from '../../overlay/errors/problem.ts';
import { isFields } from '../../overlay/json/json-value.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { checkFile } from './check.ts';
import { type ExchangeFile, formatName, formatVersion } from './form.ts';

/**
 * The content of a file of exchanges. One exchange alone, `{ request, response }`, is a file too. `name` is the file in messages.
 *
 * Throws a ValidationError that names the field if the text is cut off, of another version, or changed by hand into something else. A text
 * that looks like a key is refused too. The message never has a value of the file.
 */
export function readExchanges(text: string, name: string = 'the file'): ExchangeFile {
  return validated('readExchanges', () => {
    if (typeof text !== 'string') throw new Problem('text', 'must be the text of a file');
    return parsedFile(text, String(name));
  });
}

/** The content of a file. Throws a Problem. */
export function parsedFile(text: string, name: string): ExchangeFile {
  try {
    const value = parsed(text.replace(/^\uFEFF/, ''));
    if (!isFields(value)) throw new Problem('', 'is not a file of exchanges');
    if (!('format' in value) && 'request' in value) return checkFile({ exchanges: [value] });
    const { format, version, ...file } = value;
    if (format !== formatName) throw new Problem('format', `must be ${formatName}`);
    if (version !== formatVersion) throw new Problem('version', versionText(version), undefined, versionAdvice(version));
    return checkFile(file);
  } catch (error) {
    throw error instanceof Problem ? new Problem(`${name}:`, `${error.path} ${error.text}`.trim(), undefined, error.advice) : error;
  }
}

function versionText(version: unknown): string {
  return `must be ${formatVersion}${typeof version === 'number' ? `, but is ${version}` : ''}`;
}

function versionAdvice(version: unknown): string {
  return typeof version === 'number' && version > formatVersion ? 'Update modelsvc, or record the file again.' : 'Record the file again.';
}

/** Not the message of the parser, which quotes the text. */
function parsed(text: string): unknown {
  if (text.trim() === '') throw new Problem('', 'is empty');
  try {
    return JSON.parse(text);
  } catch (error) {
    const conflict = /^(?:<{7}|>{7}) /m.exec(text);
    if (conflict) throw new Problem('', `has the marks of a merge conflict at line ${lineOf(text, conflict.index)}`);
    const position = /position (\d+)/.exec(String(error))?.[1];
    const at = position === undefined ? undefined : Number(position);
    if (/end of JSON/i.test(String(error)) || (at !== undefined && at >= text.trimEnd().length))
      throw new Problem('', `is cut off after ${text.length} characters`, undefined, 'Restore it, or record it again.');
    throw new Problem('', `is not JSON${at === undefined ? '' : `: see line ${lineOf(text, at)}`}`);
  }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
