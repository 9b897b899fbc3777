/** Judges the requests of one turn: path, credential and model. */
import type { Protocol } from '../../../src/cli/coding/tool.ts';
import { answer, type Seen } from './front.ts';
import { foreignKeys } from './home.ts';
import type { Ended } from './program.ts';

/** Path of the service that a surface begins at. */
export const rootPaths: Readonly<Record<Protocol, string>> = {
  anthropic: '/api/anthropic',
  chat: '/api/coding/paas/v4',
  responses: '/api/v1',
};

const turnPaths: Readonly<Record<Protocol, string>> = { anthropic: '/v1/messages', chat: '/chat/completions', responses: '/responses' };

/** One cell of the table. */
export interface Cell {
  readonly ok: boolean;
  readonly text: string;
}

export interface Expected {
  readonly surface: Protocol;
  readonly key: string;
  readonly model: string;
  readonly smallModel: string;
}

export function failed(text: string): Cell {
  return { ok: false, text: `FAILED: ${text}` };
}

export function requestCell(seen: readonly Seen[], { code, stdout, stderr, isTimedOut }: Ended, expected: Expected): Cell {
  const { surface, key, model, smallModel } = expected;
  const path = rootPaths[surface] + turnPaths[surface];
  const printed = JSON.stringify(stderr.slice(-600) || stdout.slice(-600));
  // Checked first, because a program whose key is refused retries until the deadline.
  const leak = foreignKey(seen);
  if (leak) return failed(`${leak} of the user was sent`);
  if (isTimedOut) return failed('the program did not end in time');
  const turns = seen.filter((one) => one.path === path);
  const main = turns.find((one) => one.model === model);
  if (!main) return failed(`no request for ${model} at ${path}; ${turns.map((one) => one.model).join(', ')}; it printed ${printed}`);
  const other = turns.find((one) => one.model !== model && one.model !== smallModel);
  if (other) return failed(`a request for the model ${other.model}`);
  const wrong = seen.find((one) => credentials(one).some(([, value]) => value !== key));
  if (wrong) return failed(`another credential at ${wrong.path}`);
  const used = credentials(main);
  if (used.length === 0) return failed('the request has no credential');
  if (code !== 0) return failed(`the program ended with ${code} and printed ${printed}`);
  if (!stdout.includes(answer)) return failed(`the program did not print the answer, but ${printed}`);
  const ranTool = turns.some((one) => one.hasToolOutput);
  if (surface === 'responses' && !ranTool) return failed('no request has the output of the tool');
  return { ok: true, text: `\`${path}\`, ${used.map(([name]) => name).join(' and ')}, ${model}${ranTool ? ', after a shell command' : ''}` };
}

/** Name of a variable of the user whose key is in a header. */
export function foreignKey(seen: readonly Seen[]): string | undefined {
  const headers = seen.map((one) => JSON.stringify(one.headers)).join('\n');
  return Object.entries(foreignKeys).find(([, value]) => headers.includes(value))?.[0];
}

/** Headers that carry a key, with the key. */
export function credentials({ headers }: Seen): [name: string, key: string][] {
  const { authorization, 'x-api-key': apiKey } = headers;
  return [
    ...(authorization === undefined ? [] : [['authorization', authorization.replace(/^Bearer /, '')] as [string, string]]),
    ...(apiKey === undefined ? [] : [['x-api-key', apiKey] as [string, string]]),
  ];
}
