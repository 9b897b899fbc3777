// The groups of commands, in the order of help. Only the group that is called is loaded.
import type { Handler } from '../cli.ts';
import type { Section } from '../table/spec.ts';

export const sections: readonly Section<Handler>[] = [
  {
    title: 'Talk',
    groups: [
      { name: 'chat', summary: 'Ask a model; also a conversation with `chat repl`', load: () => import('./chat/spec.ts') },
      {
        name: 'messages',
        summary: 'The same as `chat --surface messages`',
        isShortcut: true,
        load: () => import('./messages/spec.ts'),
      },
      {
        name: 'responses',
        summary: 'The same as `chat --surface responses`',
        isShortcut: true,
        load: () => import('./responses/spec.ts'),
      },
      { name: 'templates', summary: 'Show and remove templates of questions', isLocal: true, load: () => import('./templates/spec.ts') },
      { name: 'map', summary: 'Ask the same of every line of a file', load: () => import('./map/spec.ts') },
      {
        name: 'logs',
        summary: 'Find earlier questions and answers, and their cost',
        isLocal: true,
        alone: 'list',
        load: () => import('./logs/spec.ts'),
      },
      {
        name: 'conversations',
        summary: 'List, show, rename and remove stored conversations',
        isLocal: true,
        alone: 'list',
        load: () => import('./conversations/spec.ts'),
      },
    ],
  },
  {
    title: 'Models',
    groups: [{ name: 'models', summary: 'List the models and their limits', alone: 'list', load: () => import('./models/spec.ts') }],
  },
  {
    title: 'Text and web',
    groups: [
      { name: 'embeddings', summary: 'Convert texts to vectors', load: () => import('./embeddings/spec.ts') },
      { name: 'rerank', summary: 'Rank documents by relevance to a query', load: () => import('./rerank/spec.ts') },
      { name: 'moderate', summary: 'Check a text for risky content', load: () => import('./moderate/spec.ts') },
      { name: 'tokens', summary: 'Count the tokens of a text', load: () => import('./tokens/spec.ts') },
      { name: 'search', summary: 'Search the web', load: () => import('./search/spec.ts') },
      { name: 'read', summary: 'Read a web page as text', load: () => import('./read/spec.ts') },
      { name: 'api', summary: 'Call any operation by method and path', load: () => import('./api/spec.ts') },
    ],
  },
  {
    title: 'Plan',
    groups: [
      { name: 'quota', summary: 'Show how much of the plan is used', load: () => import('./quota/spec.ts') },
      { name: 'usage', summary: 'Show calls and tokens by model, tool and time', load: () => import('./usage/spec.ts') },
    ],
  },
  {
    title: 'Images, audio and video',
    groups: [
      { name: 'images', summary: 'Create images from text', load: () => import('./images/spec.ts') },
      { name: 'videos', summary: 'Create videos from text and images', load: () => import('./videos/spec.ts') },
      { name: 'audio', summary: 'Transcribe audio files and speak texts', load: () => import('./audio/spec.ts') },
      { name: 'voices', summary: 'List, clone and delete voices', load: () => import('./voices/spec.ts') },
    ],
  },
  {
    title: 'Files and documents',
    groups: [
      { name: 'files', summary: 'Upload, list, download and delete stored files', load: () => import('./files/spec.ts') },
      { name: 'ocr', summary: 'Read images, PDF files and handwriting', load: () => import('./ocr/spec.ts') },
      { name: 'parse', summary: 'Extract the text of documents', load: () => import('./parse/spec.ts') },
    ],
  },
  {
    title: 'Jobs and agents',
    groups: [
      { name: 'batches', summary: 'Run many chat requests as one job', load: () => import('./batches/spec.ts') },
      { name: 'agents', summary: 'Run ready-made agents: translation, slides, receipts', load: () => import('./agents/spec.ts') },
      { name: 'jobs', summary: 'Wait for any job, or show its result', load: () => import('./jobs/spec.ts') },
    ],
  },
  {
    title: 'Keys and settings',
    groups: [
      { name: 'accounts', summary: 'Store API keys, and choose the one to use', isLocal: true, load: () => import('./accounts/spec.ts') },
      {
        name: 'config',
        summary: 'Set defaults of options, and aliases of models',
        isLocal: true,
        load: () => import('./config/spec.ts'),
      },
      { name: 'doctor', summary: 'Find out why a command does not work', isLocal: true, load: () => import('./doctor/spec.ts') },
    ],
  },
  {
    title: 'Coding tools',
    groups: [
      {
        name: 'coding',
        summary: 'Wire Claude Code, Codex and others to the service',
        previews: true,
        load: () => import('./coding/spec.ts'),
      },
    ],
  },
  {
    title: 'Tools',
    groups: [
      { name: 'mock', summary: 'Serve a fake of the service on this machine', isLocal: true, load: () => import('./mock/spec.ts') },
      { name: 'spec', summary: 'Print the OpenAPI document of the service', isLocal: true, load: () => import('./spec/spec.ts') },
      { name: 'completion', summary: 'Print a completion script for a shell', isLocal: true, load: () => import('./completion/spec.ts') },
      {
        name: 'help',
        summary: 'Help for a command, or a topic',
        isLocal: true,
        load: async () => ({ spec: (await import('./help/spec.ts')).specFor(sections) }),
      },
    ],
  },
];
