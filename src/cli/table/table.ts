// The groups of commands, in the order of help. Only the group that is called is loaded.
import type { CommandSpec } from './spec.ts';

export interface GroupEntry {
  readonly name: string;
  readonly summary: string;
  /** True if it works on this machine only: `--dry-run` is refused, because there is no request to print. */
  readonly isLocal?: boolean;
  /** True if it changes files of other programs: `--dry-run` shows these changes. */
  readonly previews?: boolean;
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
      { name: 'chat', summary: 'Ask a model; also a conversation with `chat repl`', load: () => import('../commands/chat/spec.ts') },
      { name: 'messages', summary: 'Ask a model on the Anthropic-style surface', load: () => import('../commands/messages/spec.ts') },
      { name: 'map', summary: 'Ask the same of every line of a file', load: () => import('../commands/map/spec.ts') },
    ],
  },
  {
    title: 'Models',
    groups: [{ name: 'models', summary: 'List the models and their limits', load: () => import('../commands/models/spec.ts') }],
  },
  {
    title: 'Text and web',
    groups: [
      { name: 'embeddings', summary: 'Convert texts to vectors', load: () => import('../commands/embeddings/spec.ts') },
      { name: 'rerank', summary: 'Rank documents by relevance to a query', load: () => import('../commands/rerank/spec.ts') },
      { name: 'moderate', summary: 'Check a text for risky content', load: () => import('../commands/moderate/spec.ts') },
      { name: 'tokens', summary: 'Count the tokens of a text', load: () => import('../commands/tokens/spec.ts') },
      { name: 'search', summary: 'Search the web', load: () => import('../commands/search/spec.ts') },
      { name: 'read', summary: 'Read a web page as text', load: () => import('../commands/read/spec.ts') },
      { name: 'api', summary: 'Call any operation by method and path', load: () => import('../commands/api/spec.ts') },
    ],
  },
  {
    title: 'Plan',
    groups: [
      { name: 'quota', summary: 'Show how much of the plan is used', load: () => import('../commands/quota/spec.ts') },
      { name: 'usage', summary: 'Show calls and tokens by model, tool and time', load: () => import('../commands/usage/spec.ts') },
    ],
  },
  {
    title: 'Images, audio and video',
    groups: [
      { name: 'images', summary: 'Create images from text', load: () => import('../commands/images/spec.ts') },
      { name: 'videos', summary: 'Create videos from text and images', load: () => import('../commands/videos/spec.ts') },
      { name: 'audio', summary: 'Transcribe audio files and speak texts', load: () => import('../commands/audio/spec.ts') },
      { name: 'voices', summary: 'List, clone and delete voices', load: () => import('../commands/voices/spec.ts') },
    ],
  },
  {
    title: 'Files and documents',
    groups: [
      { name: 'files', summary: 'Upload, list, download and delete stored files', load: () => import('../commands/files/spec.ts') },
      { name: 'ocr', summary: 'Read images, PDF files and handwriting', load: () => import('../commands/ocr/spec.ts') },
      { name: 'parse', summary: 'Extract the text of documents', load: () => import('../commands/parse/spec.ts') },
    ],
  },
  {
    title: 'Jobs and agents',
    groups: [
      { name: 'batches', summary: 'Run many chat requests as one job', load: () => import('../commands/batches/spec.ts') },
      { name: 'agents', summary: 'Run ready-made agents: translation, slides, receipts', load: () => import('../commands/agents/spec.ts') },
      { name: 'result', summary: 'Show the state or the result of a job', load: () => import('../commands/jobs/result-spec.ts') },
      { name: 'wait', summary: 'Wait for a chat, image or video job', load: () => import('../commands/jobs/wait-spec.ts') },
    ],
  },
  {
    title: 'Keys',
    groups: [
      { name: 'accounts', summary: 'Store API keys, and choose the one to use', isLocal: true, load: () => import('../commands/accounts/spec.ts') },
      { name: 'doctor', summary: 'Find out why a command does not work', isLocal: true, load: () => import('../commands/doctor/spec.ts') },
    ],
  },
  {
    title: 'Coding tools',
    groups: [
      {
        name: 'coding',
        summary: 'Wire Claude Code, Codex and others to the service',
        previews: true,
        load: () => import('../commands/coding/spec.ts'),
      },
    ],
  },
  {
    title: 'Tools',
    groups: [
      { name: 'mock', summary: 'Serve a fake of the service on this machine', isLocal: true, load: () => import('../commands/mock/spec.ts') },
      { name: 'spec', summary: 'Print the OpenAPI document of the service', isLocal: true, load: () => import('../commands/spec/spec.ts') },
      { name: 'completion', summary: 'Print a completion script for a shell', isLocal: true, load: () => import('../commands/completion/spec.ts') },
      { name: 'help', summary: 'Help for a command, or a topic', isLocal: true, load: () => import('../commands/help/spec.ts') },
    ],
  },
];

export const groups: readonly GroupEntry[] = sections.flatMap((section) => section.groups);

/** The complete table, for completion, `help --json` and the docs. */
export function loadAll(): Promise<readonly CommandSpec[]> {
  return Promise.all(groups.map(async (group) => (await group.load()).spec));
}
