// The groups of commands, in the order of help. Only the group that is called is loaded.
import type { CommandSpec } from './spec.ts';

export interface GroupEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<{ readonly spec: CommandSpec }>;
}

export interface Section {
  readonly title: string;
  readonly groups: readonly GroupEntry[];
}

export const sections: readonly Section[] = [
  {
    title: 'Talk',
    groups: [
      { name: 'chat', summary: 'Ask a model; also a conversation with `chat repl`', load: () => import('./commands/chat/spec.ts') },
      { name: 'messages', summary: 'Ask a model on the Anthropic-style surface', load: () => import('./commands/messages/spec.ts') },
      { name: 'map', summary: 'Ask the same of every line of a file', load: () => import('./commands/map/spec.ts') },
    ],
  },
  {
    title: 'Models',
    groups: [{ name: 'models', summary: 'List the models and their limits', load: () => import('./commands/models/spec.ts') }],
  },
  {
    title: 'Keys',
    groups: [
      { name: 'accounts', summary: 'Store API keys, and choose the one to use', load: () => import('./commands/accounts/spec.ts') },
      { name: 'doctor', summary: 'Find out why a command does not work', load: () => import('./commands/doctor/spec.ts') },
    ],
  },
  {
    title: 'Tools',
    groups: [
      { name: 'mock', summary: 'Serve a fake of the service on this machine', load: () => import('./commands/mock/spec.ts') },
      { name: 'spec', summary: 'Print the OpenAPI document of the service', load: () => import('./commands/spec/spec.ts') },
      { name: 'completion', summary: 'Print a completion script for a shell', load: () => import('./commands/completion/spec.ts') },
      { name: 'help', summary: 'Help for a command, or a topic', load: () => import('./commands/help/spec.ts') },
    ],
  },
];

export const groups: readonly GroupEntry[] = sections.flatMap((section) => section.groups);

/** The complete table, for completion, `help --json` and the docs. */
export function loadAll(): Promise<readonly CommandSpec[]> {
  return Promise.all(groups.map(async (group) => (await group.load()).spec));
}
