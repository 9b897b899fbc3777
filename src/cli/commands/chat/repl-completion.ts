// Candidates of the TAB key in the repl: commands, models, files and names of conversations.
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConversationStore } from '../../talk/conversations.ts';
import type { Completer } from '../../terminal/line-editor.ts';
import { cleaned } from '../../terminal/terminal.ts';
import { localValues } from '../completion/local-values.ts';
import { replCommands } from './repl-commands.ts';

/** A name that cannot be read completes to none. */
export function completerFor(env: NodeJS.ProcessEnv): Completer {
  return async (line) => {
    const [, name, blank, text = ''] = /^\/(\w*)(\s+)?(.*)$/.exec(line) ?? [];
    if (name === undefined) return [[], line];
    if (blank === undefined) return [starting(line, replCommands.map(commandText)), line];
    const kind = replCommands.find((one) => one.name === name)?.complete;
    if (kind === 'model') return [starting(text, await localValues(env)('model')), text];
    if (kind === 'conversation') return [starting(text, await new ConversationStore(env).names().catch(() => [])), text];
    if (kind !== 'file') return [[], text];
    if (name === 'file') return [await filesFor(text), text];
    return text.startsWith('@') ? [await filesFor(text.slice(1)), text.slice(1)] : [[], text];
  };
}

function commandText({ name, value }: (typeof replCommands)[number]): string {
  return value === undefined ? `/${name}` : `/${name} `;
}

async function filesFor(path: string): Promise<string[]> {
  const folder = path.endsWith('/') ? path : dirname(path);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const lead = path.includes('/') ? folder : '';
  const names = entries.map((entry) => join(lead, entry.name) + (entry.isDirectory() ? '/' : ''));
  const typed = path.startsWith('./') ? names.map((name) => `./${name}`) : names;
  return starting(path, typed);
}

/** Names for the screen: those with control characters are left out. */
function starting(text: string, names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(text) && cleaned(name) === name).sort();
}
